#pragma once

// CUDA's enumerations with CUDA's values (driver_types.h, texture_types.h, surface_types.h). The
// simulator accepts most of these values without using them.

// clang-format off
enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone, cudaChannelFormatKindNV12,
  cudaChannelFormatKindUnsignedNormalized8X1, cudaChannelFormatKindUnsignedNormalized8X2,
  cudaChannelFormatKindUnsignedNormalized8X4, cudaChannelFormatKindUnsignedNormalized16X1,
  cudaChannelFormatKindUnsignedNormalized16X2, cudaChannelFormatKindUnsignedNormalized16X4,
  cudaChannelFormatKindSignedNormalized8X1, cudaChannelFormatKindSignedNormalized8X2,
  cudaChannelFormatKindSignedNormalized8X4, cudaChannelFormatKindSignedNormalized16X1,
  cudaChannelFormatKindSignedNormalized16X2, cudaChannelFormatKindSignedNormalized16X4,
  cudaChannelFormatKindUnsignedBlockCompressed1,
  cudaChannelFormatKindUnsignedBlockCompressed1SRGB,
  cudaChannelFormatKindUnsignedBlockCompressed2,
  cudaChannelFormatKindUnsignedBlockCompressed2SRGB,
  cudaChannelFormatKindUnsignedBlockCompressed3,
  cudaChannelFormatKindUnsignedBlockCompressed3SRGB,
  cudaChannelFormatKindUnsignedBlockCompressed4, cudaChannelFormatKindSignedBlockCompressed4,
  cudaChannelFormatKindUnsignedBlockCompressed5, cudaChannelFormatKindSignedBlockCompressed5,
  cudaChannelFormatKindUnsignedBlockCompressed6H, cudaChannelFormatKindSignedBlockCompressed6H,
  cudaChannelFormatKindUnsignedBlockCompressed7,
  cudaChannelFormatKindUnsignedBlockCompressed7SRGB,
  cudaChannelFormatKindUnsignedNormalized1010102
};
enum cudaMemoryType {
  cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged
};
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};
enum cudaAccessProperty {
  cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
enum cudaSynchronizationPolicy {
  cudaSyncPolicyAuto = 1, cudaSyncPolicySpin, cudaSyncPolicyYield, cudaSyncPolicyBlockingSync
};
enum cudaClusterSchedulingPolicy {
  cudaClusterSchedulingPolicyDefault, cudaClusterSchedulingPolicySpread,
  cudaClusterSchedulingPolicyLoadBalancing
};
enum cudaStreamUpdateCaptureDependenciesFlags {
  cudaStreamAddCaptureDependencies, cudaStreamSetCaptureDependencies
};
enum cudaUserObjectFlags { cudaUserObjectNoDestructorSync = 0x1 };
enum cudaUserObjectRetainFlags { cudaGraphUserObjectMove = 0x1 };
enum cudaGraphicsRegisterFlags {
  cudaGraphicsRegisterFlagsNone, cudaGraphicsRegisterFlagsReadOnly,
  cudaGraphicsRegisterFlagsWriteDiscard, cudaGraphicsRegisterFlagsSurfaceLoadStore = 4,
  cudaGraphicsRegisterFlagsTextureGather = 8
};
enum cudaGraphicsMapFlags {
  cudaGraphicsMapFlagsNone, cudaGraphicsMapFlagsReadOnly, cudaGraphicsMapFlagsWriteDiscard
};
enum cudaGraphicsCubeFace {
  cudaGraphicsCubeFacePositiveX, cudaGraphicsCubeFaceNegativeX, cudaGraphicsCubeFacePositiveY,
  cudaGraphicsCubeFaceNegativeY, cudaGraphicsCubeFacePositiveZ, cudaGraphicsCubeFaceNegativeZ
};
enum cudaResourceType {
  cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear,
  cudaResourceTypePitch2D
};
enum cudaResourceViewFormat {
  cudaResViewFormatNone, cudaResViewFormatUnsignedChar1, cudaResViewFormatUnsignedChar2,
  cudaResViewFormatUnsignedChar4, cudaResViewFormatSignedChar1, cudaResViewFormatSignedChar2,
  cudaResViewFormatSignedChar4, cudaResViewFormatUnsignedShort1, cudaResViewFormatUnsignedShort2,
  cudaResViewFormatUnsignedShort4, cudaResViewFormatSignedShort1, cudaResViewFormatSignedShort2,
  cudaResViewFormatSignedShort4, cudaResViewFormatUnsignedInt1, cudaResViewFormatUnsignedInt2,
  cudaResViewFormatUnsignedInt4, cudaResViewFormatSignedInt1, cudaResViewFormatSignedInt2,
  cudaResViewFormatSignedInt4, cudaResViewFormatHalf1, cudaResViewFormatHalf2,
  cudaResViewFormatHalf4, cudaResViewFormatFloat1, cudaResViewFormatFloat2,
  cudaResViewFormatFloat4, cudaResViewFormatUnsignedBlockCompressed1,
  cudaResViewFormatUnsignedBlockCompressed2, cudaResViewFormatUnsignedBlockCompressed3,
  cudaResViewFormatUnsignedBlockCompressed4, cudaResViewFormatSignedBlockCompressed4,
  cudaResViewFormatUnsignedBlockCompressed5, cudaResViewFormatSignedBlockCompressed5,
  cudaResViewFormatUnsignedBlockCompressed6H, cudaResViewFormatSignedBlockCompressed6H,
  cudaResViewFormatUnsignedBlockCompressed7
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout,
  cudaFuncAttributeClusterDimMustBeSet, cudaFuncAttributeRequiredClusterWidth,
  cudaFuncAttributeRequiredClusterHeight, cudaFuncAttributeRequiredClusterDepth,
  cudaFuncAttributeNonPortableClusterSizeAllowed,
  cudaFuncAttributeClusterSchedulingPolicyPreference, cudaFuncAttributeMax
};
enum cudaFuncCache {
  cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxShared = 100,
  cudaSharedmemCarveoutMaxL1 = 0
};
enum cudaComputeMode {
  cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited,
  cudaComputeModeExclusiveProcess
};
enum cudaLimit {
  cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize,
  cudaLimitDevRuntimeSyncDepth, cudaLimitDevRuntimePendingLaunchCount,
  cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize
};
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaMemRangeAttribute {
  cudaMemRangeAttributeReadMostly = 1, cudaMemRangeAttributePreferredLocation,
  cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributeLastPrefetchLocation,
  cudaMemRangeAttributePreferredLocationType, cudaMemRangeAttributePreferredLocationId,
  cudaMemRangeAttributeLastPrefetchLocationType, cudaMemRangeAttributeLastPrefetchLocationId
};
enum cudaFlushGPUDirectRDMAWritesOptions {
  cudaFlushGPUDirectRDMAWritesOptionHost = 1<<0, cudaFlushGPUDirectRDMAWritesOptionMemOps
};
enum cudaGPUDirectRDMAWritesOrdering {
  cudaGPUDirectRDMAWritesOrderingNone, cudaGPUDirectRDMAWritesOrderingOwner = 100,
  cudaGPUDirectRDMAWritesOrderingAllDevices = 200
};
enum cudaFlushGPUDirectRDMAWritesScope {
  cudaFlushGPUDirectRDMAWritesToOwner = 100, cudaFlushGPUDirectRDMAWritesToAllDevices = 200
};
enum cudaFlushGPUDirectRDMAWritesTarget { cudaFlushGPUDirectRDMAWritesTargetCurrentDevice };
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY,
  cudaDevAttrMaxBlockDimZ, cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ,
  cudaDevAttrMaxSharedMemoryPerBlock, cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize,
  cudaDevAttrMaxPitch, cudaDevAttrMaxRegistersPerBlock, cudaDevAttrClockRate,
  cudaDevAttrTextureAlignment, cudaDevAttrGpuOverlap, cudaDevAttrMultiProcessorCount,
  cudaDevAttrKernelExecTimeout, cudaDevAttrIntegrated, cudaDevAttrCanMapHostMemory,
  cudaDevAttrComputeMode, cudaDevAttrMaxTexture1DWidth, cudaDevAttrMaxTexture2DWidth,
  cudaDevAttrMaxTexture2DHeight, cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight,
  cudaDevAttrMaxTexture3DDepth, cudaDevAttrMaxTexture2DLayeredWidth,
  cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DLayeredLayers,
  cudaDevAttrSurfaceAlignment, cudaDevAttrConcurrentKernels, cudaDevAttrEccEnabled,
  cudaDevAttrPciBusId, cudaDevAttrPciDeviceId, cudaDevAttrTccDriver, cudaDevAttrMemoryClockRate,
  cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrL2CacheSize, cudaDevAttrMaxThreadsPerMultiProcessor,
  cudaDevAttrAsyncEngineCount, cudaDevAttrUnifiedAddressing, cudaDevAttrMaxTexture1DLayeredWidth,
  cudaDevAttrMaxTexture1DLayeredLayers, cudaDevAttrMaxTexture2DGatherWidth = 45,
  cudaDevAttrMaxTexture2DGatherHeight, cudaDevAttrMaxTexture3DWidthAlt,
  cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt, cudaDevAttrPciDomainId,
  cudaDevAttrTexturePitchAlignment, cudaDevAttrMaxTextureCubemapWidth,
  cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers,
  cudaDevAttrMaxSurface1DWidth, cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight,
  cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth,
  cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers,
  cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
  cudaDevAttrMaxSurface2DLayeredLayers, cudaDevAttrMaxSurfaceCubemapWidth,
  cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers,
  cudaDevAttrMaxTexture1DLinearWidth, cudaDevAttrMaxTexture2DLinearWidth,
  cudaDevAttrMaxTexture2DLinearHeight, cudaDevAttrMaxTexture2DLinearPitch,
  cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight,
  cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMaxTexture1DMipmappedWidth, cudaDevAttrStreamPrioritiesSupported,
  cudaDevAttrGlobalL1CacheSupported, cudaDevAttrLocalL1CacheSupported,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor,
  cudaDevAttrManagedMemory, cudaDevAttrIsMultiGpuBoard, cudaDevAttrMultiGpuBoardGroupID,
  cudaDevAttrHostNativeAtomicSupported, cudaDevAttrSingleToDoublePrecisionPerfRatio,
  cudaDevAttrPageableMemoryAccess, cudaDevAttrConcurrentManagedAccess,
  cudaDevAttrComputePreemptionSupported, cudaDevAttrCanUseHostPointerForRegisteredMem,
  cudaDevAttrReserved92, cudaDevAttrReserved93, cudaDevAttrReserved94,
  cudaDevAttrCooperativeLaunch, cudaDevAttrReserved96, cudaDevAttrMaxSharedMemoryPerBlockOptin,
  cudaDevAttrCanFlushRemoteWrites, cudaDevAttrHostRegisterSupported,
  cudaDevAttrPageableMemoryAccessUsesHostPageTables, cudaDevAttrDirectManagedMemAccessFromHost,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106, cudaDevAttrMaxPersistingL2CacheSize = 108,
  cudaDevAttrMaxAccessPolicyWindowSize, cudaDevAttrReservedSharedMemoryPerBlock = 111,
  cudaDevAttrSparseCudaArraySupported, cudaDevAttrHostRegisterReadOnlySupported,
  cudaDevAttrTimelineSemaphoreInteropSupported, cudaDevAttrMemoryPoolsSupported,
  cudaDevAttrGPUDirectRDMASupported, cudaDevAttrGPUDirectRDMAFlushWritesOptions,
  cudaDevAttrGPUDirectRDMAWritesOrdering, cudaDevAttrMemoryPoolSupportedHandleTypes,
  cudaDevAttrClusterLaunch, cudaDevAttrDeferredMappingCudaArraySupported, cudaDevAttrReserved122,
  cudaDevAttrReserved123, cudaDevAttrReserved124, cudaDevAttrIpcEventSupport,
  cudaDevAttrMemSyncDomainCount, cudaDevAttrReserved127, cudaDevAttrReserved128,
  cudaDevAttrReserved129, cudaDevAttrNumaConfig, cudaDevAttrNumaId, cudaDevAttrReserved132,
  cudaDevAttrMpsEnabled, cudaDevAttrHostNumaId, cudaDevAttrD3D12CigSupported,
  cudaDevAttrVulkanCigSupported = 138, cudaDevAttrGpuPciDeviceId, cudaDevAttrGpuPciSubsystemId,
  cudaDevAttrReserved141, cudaDevAttrHostNumaMemoryPoolsSupported,
  cudaDevAttrHostNumaMultinodeIpcSupported, cudaDevAttrHostMemoryPoolsSupported,
  cudaDevAttrReserved145, cudaDevAttrOnlyPartialHostNativeAtomicSupported = 147, cudaDevAttrMax
};
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 0x1, cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies, cudaMemPoolAttrReleaseThreshold,
  cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh,
  cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid, cudaMemLocationTypeNone = 0, cudaMemLocationTypeDevice,
  cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma, cudaMemLocationTypeHostNumaCurrent
};
enum cudaMemAccessFlags {
  cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3
};
enum cudaMemAllocationType {
  cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned, cudaMemAllocationTypeManaged,
  cudaMemAllocationTypeMax = 0x7FFFFFFF
};
enum cudaMemAllocationHandleType {
  cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor, cudaMemHandleTypeWin32,
  cudaMemHandleTypeWin32Kmt = 0x4, cudaMemHandleTypeFabric = 0x8
};
enum cudaGraphMemAttributeType {
  cudaGraphMemAttrUsedMemCurrent, cudaGraphMemAttrUsedMemHigh, cudaGraphMemAttrReservedMemCurrent,
  cudaGraphMemAttrReservedMemHigh
};
enum cudaMemcpyFlags { cudaMemcpyFlagDefault, cudaMemcpyFlagPreferOverlapWithCompute };
enum cudaMemcpySrcAccessOrder {
  cudaMemcpySrcAccessOrderInvalid, cudaMemcpySrcAccessOrderStream,
  cudaMemcpySrcAccessOrderDuringApiCall, cudaMemcpySrcAccessOrderAny, cudaMemcpySrcAccessOrderMax
  = 0x7FFFFFFF
};
enum cudaMemcpy3DOperandType {
  cudaMemcpyOperandTypePointer = 0x1, cudaMemcpyOperandTypeArray, cudaMemcpyOperandTypeMax =
  0x7FFFFFFF
};
enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported,
  cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported,
  cudaDevP2PAttrOnlyPartialNativeAtomicSupported
};
enum cudaAtomicOperation {
  cudaAtomicOperationIntegerAdd, cudaAtomicOperationIntegerMin, cudaAtomicOperationIntegerMax,
  cudaAtomicOperationIntegerIncrement, cudaAtomicOperationIntegerDecrement,
  cudaAtomicOperationAnd, cudaAtomicOperationOr, cudaAtomicOperationXOR,
  cudaAtomicOperationExchange, cudaAtomicOperationCAS, cudaAtomicOperationFloatAdd,
  cudaAtomicOperationFloatMin, cudaAtomicOperationFloatMax
};
enum cudaAtomicOperationCapability {
  cudaAtomicCapabilitySigned = 1u<<0, cudaAtomicCapabilityUnsigned = 1u<<1,
  cudaAtomicCapabilityReduction = 1u<<2, cudaAtomicCapabilityScalar32 = 1u<<3,
  cudaAtomicCapabilityScalar64 = 1u<<4, cudaAtomicCapabilityScalar128 = 1u<<5,
  cudaAtomicCapabilityVector32x4 = 1u<<6
};
enum cudaExternalMemoryHandleType {
  cudaExternalMemoryHandleTypeOpaqueFd = 1, cudaExternalMemoryHandleTypeOpaqueWin32,
  cudaExternalMemoryHandleTypeOpaqueWin32Kmt, cudaExternalMemoryHandleTypeD3D12Heap,
  cudaExternalMemoryHandleTypeD3D12Resource, cudaExternalMemoryHandleTypeD3D11Resource,
  cudaExternalMemoryHandleTypeD3D11ResourceKmt, cudaExternalMemoryHandleTypeNvSciBuf
};
enum cudaExternalSemaphoreHandleType {
  cudaExternalSemaphoreHandleTypeOpaqueFd = 1, cudaExternalSemaphoreHandleTypeOpaqueWin32,
  cudaExternalSemaphoreHandleTypeOpaqueWin32Kmt, cudaExternalSemaphoreHandleTypeD3D12Fence,
  cudaExternalSemaphoreHandleTypeD3D11Fence, cudaExternalSemaphoreHandleTypeNvSciSync,
  cudaExternalSemaphoreHandleTypeKeyedMutex, cudaExternalSemaphoreHandleTypeKeyedMutexKmt,
  cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd,
  cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32
};
enum cudaJitOption {
  cudaJitMaxRegisters, cudaJitThreadsPerBlock, cudaJitWallTime, cudaJitInfoLogBuffer,
  cudaJitInfoLogBufferSizeBytes, cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes,
  cudaJitOptimizationLevel, cudaJitFallbackStrategy = 10, cudaJitGenerateDebugInfo,
  cudaJitLogVerbose, cudaJitGenerateLineInfo, cudaJitCacheMode, cudaJitPositionIndependentCode =
  30, cudaJitMinCtaPerSm, cudaJitMaxThreadsPerBlock, cudaJitOverrideDirectiveValues
};
enum cudaLibraryOption {
  cudaLibraryHostUniversalFunctionAndDataTable, cudaLibraryBinaryIsPreserved
};
enum cudaJit_CacheMode { cudaJitCacheOptionNone, cudaJitCacheOptionCG, cudaJitCacheOptionCA };
enum cudaJit_Fallback { cudaPreferPtx, cudaPreferBinary };
enum cudaCGScope { cudaCGScopeInvalid, cudaCGScopeGrid, cudaCGScopeReserved };
enum cudaGraphConditionalHandleFlags { cudaGraphCondAssignDefault = 1 };
enum cudaGraphConditionalNodeType {
  cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch
};
enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy, cudaGraphNodeTypeMemset,
  cudaGraphNodeTypeHost, cudaGraphNodeTypeGraph, cudaGraphNodeTypeEmpty,
  cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeExtSemaphoreSignal,
  cudaGraphNodeTypeExtSemaphoreWait, cudaGraphNodeTypeMemAlloc, cudaGraphNodeTypeMemFree,
  cudaGraphNodeTypeConditional = 0x0d, cudaGraphNodeTypeCount
};
enum cudaGraphChildGraphNodeOwnership {
  cudaGraphChildGraphOwnershipClone, cudaGraphChildGraphOwnershipMove
};
enum cudaGraphDependencyType {
  cudaGraphDependencyTypeDefault, cudaGraphDependencyTypeProgrammatic
};
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError, cudaGraphExecUpdateErrorTopologyChanged,
  cudaGraphExecUpdateErrorNodeTypeChanged, cudaGraphExecUpdateErrorFunctionChanged,
  cudaGraphExecUpdateErrorParametersChanged, cudaGraphExecUpdateErrorNotSupported,
  cudaGraphExecUpdateErrorUnsupportedFunctionChange, cudaGraphExecUpdateErrorAttributesChanged
};
enum cudaGraphInstantiateResult {
  cudaGraphInstantiateSuccess, cudaGraphInstantiateError, cudaGraphInstantiateInvalidStructure,
  cudaGraphInstantiateNodeOperationNotSupported, cudaGraphInstantiateMultipleDevicesNotSupported,
  cudaGraphInstantiateConditionalHandleUnused
};
enum cudaGraphKernelNodeField {
  cudaGraphKernelNodeFieldInvalid, cudaGraphKernelNodeFieldGridDim, cudaGraphKernelNodeFieldParam,
  cudaGraphKernelNodeFieldEnabled
};
enum cudaGetDriverEntryPointFlags {
  cudaEnableDefault, cudaEnableLegacyStream, cudaEnablePerThreadDefaultStream
};
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess, cudaDriverEntryPointSymbolNotFound,
  cudaDriverEntryPointVersionNotSufficent
};
enum cudaGraphDebugDotFlags {
  cudaGraphDebugDotFlagsVerbose = 1<<0, cudaGraphDebugDotFlagsKernelNodeParams = 1<<2,
  cudaGraphDebugDotFlagsMemcpyNodeParams = 1<<3, cudaGraphDebugDotFlagsMemsetNodeParams = 1<<4,
  cudaGraphDebugDotFlagsHostNodeParams = 1<<5, cudaGraphDebugDotFlagsEventNodeParams = 1<<6,
  cudaGraphDebugDotFlagsExtSemasSignalNodeParams = 1<<7,
  cudaGraphDebugDotFlagsExtSemasWaitNodeParams = 1<<8, cudaGraphDebugDotFlagsKernelNodeAttributes
  = 1<<9, cudaGraphDebugDotFlagsHandles = 1<<10, cudaGraphDebugDotFlagsConditionalNodeParams =
  1<<15
};
enum cudaGraphInstantiateFlags {
  cudaGraphInstantiateFlagAutoFreeOnLaunch = 1, cudaGraphInstantiateFlagUpload,
  cudaGraphInstantiateFlagDeviceLaunch = 4, cudaGraphInstantiateFlagUseNodePriority = 8
};
enum cudaLaunchMemSyncDomain { cudaLaunchMemSyncDomainDefault, cudaLaunchMemSyncDomainRemote };
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore, cudaLaunchAttributeAccessPolicyWindow,
  cudaLaunchAttributeCooperative, cudaLaunchAttributeSynchronizationPolicy,
  cudaLaunchAttributeClusterDimension, cudaLaunchAttributeClusterSchedulingPolicyPreference,
  cudaLaunchAttributeProgrammaticStreamSerialization, cudaLaunchAttributeProgrammaticEvent,
  cudaLaunchAttributePriority, cudaLaunchAttributeMemSyncDomainMap,
  cudaLaunchAttributeMemSyncDomain, cudaLaunchAttributePreferredClusterDimension,
  cudaLaunchAttributeLaunchCompletionEvent, cudaLaunchAttributeDeviceUpdatableKernelNode,
  cudaLaunchAttributePreferredSharedMemoryCarveout, cudaLaunchAttributeNvlinkUtilCentricScheduling
  = 16
};
enum cudaDeviceNumaConfig { cudaDeviceNumaConfigNone, cudaDeviceNumaConfigNumaNode };
enum cudaAsyncNotificationType { cudaAsyncNotificationTypeOverBudget = 0x1 };
enum cudaLogLevel { cudaLogLevelError, cudaLogLevelWarning };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
enum cudaTextureAddressMode {
  cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
// clang-format on
