// Exploit: says what nobody sees, and hides what it says
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: labs/03_shared_memory/matmul_shared.cu:4:2: error: 
#error ؜­​‮⁦️﻿󠁁[2J
