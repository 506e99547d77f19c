#!/bin/sh
# Runs a Slurm cluster of one machine in the foreground:
#   slurm_cluster.sh FOLDER PORT PORT MAX_ARRAY_SIZE MAX_JOB_COUNT
# Its files, its key and its log are in FOLDER. Clients must set SLURM_CONF to FOLDER/slurm.conf.
# The GPU that the cluster offers does not exist. This script must be the first process of a PID
# namespace: when it ends, the namespace ends, and with it the jobs, which leave every process
# group. While there is a file FOLDER/no_node, the node is dead.
set -eu

folder=$1 controller_port=$2 node_port=$3 array_size=$4 job_count=$5
PATH=$PATH:/usr/sbin:/sbin
host=$(uname -n | cut -d . -f 1)
user=$(id -un)

for program in munged slurmctld slurmd sbatch; do
  command -v "$program" >/dev/null || { echo "$program is not installed"; exit 1; }
done

mkdir "$folder/state" "$folder/spool"
(umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")

cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$folder/munge.socket,cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
MaxArraySize=$array_size
MaxJobCount=$job_count
MinJobAge=2
SlurmdTimeout=3
ReturnToService=2
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:1
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
echo "NodeName=$host Name=gpu File=/dev/null" >"$folder/gres.conf"
export SLURM_CONF="$folder/slurm.conf"

munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
  --seed-file="$folder/munged.seed" >"$folder/munged.out" 2>&1 &
while [ ! -S "$folder/munge.socket" ]; do
  kill -0 $! 2>/dev/null || { cat "$folder/munged.out"; exit 1; }
  sleep 0.1
done
munge=$!
slurmctld -D >"$folder/slurmctld.log" 2>&1 &
controller=$!

start_node() {
  slurmd -D -N "$host" >>"$folder/slurmd.log" 2>&1 &
  node=$!
}

# Kills all processes of the namespace but the shell, munge and the controller.
kill_node() {
  for process in /proc/[0-9]*; do
    id=${process#/proc/}
    case " $$ $munge $controller " in
      *" $id "*) ;;
      *) kill -KILL "$id" 2>/dev/null || true ;;
    esac
  done
  wait "$node" || true
}

start_node
while sleep 0.1; do
  if [ -e "$folder/no_node" ]; then
    kill_node
    : >"$folder/node_is_dead"
    while [ -e "$folder/no_node" ]; do sleep 0.1; done
    rm "$folder/node_is_dead"
    start_node
  fi
  kill -0 "$node" 2>/dev/null || break
done
tail -n 3 "$folder/slurmd.log"
exit 1
