// The methods of the DevTools protocol that a client of a lent browser may call. All others are refused, including
// those that later Chromium versions add.

/** Methods that act on the client's own pages: scripts, styles, storage, input, and reading. */
const ofPages: Record<string, string> = {
  Accessibility:
    'disable enable getPartialAXTree getFullAXTree getRootAXNode getAXNodeAndAncestors getChildAXNodes queryAXTree',
  Animation:
    'disable enable getCurrentTime getPlaybackRate releaseAnimations resolveAnimation seekAnimations setPaused setPlaybackRate setTiming',
  Audits: 'getEncodedResponse disable enable checkFormsIssues checkContrast',
  Autofill: 'trigger setAddresses disable enable',
  CSS: 'addRule collectClassNames createStyleSheet disable enable forcePseudoState forceStartingStyle getBackgroundColors getComputedStyleForNode resolveValues getLonghandProperties getInlineStylesForNode getAnimatedStylesForNode getMatchedStylesForNode getEnvironmentVariables getMediaQueries getPlatformFontsForNode getStyleSheetText getLayersForNode getLocationForSelector trackComputedStyleUpdatesForNode trackComputedStyleUpdates takeComputedStyleUpdates setEffectivePropertyValueForNode setKeyframeKey setMediaText setContainerQueryText setSupportsText setScopeText setRuleSelector setStyleSheetText setStyleTexts startRuleUsageTracking stopRuleUsageTracking takeCoverageDelta',
  CacheStorage: 'deleteCache deleteEntry requestCacheNames requestCachedResponse requestEntries',
  Console: 'clearMessages disable enable',
  DOM: 'collectClassNamesFromSubtree copyTo describeNode scrollIntoViewIfNeeded disable discardSearchResults enable focus getAttributes getBoxModel getContentQuads getDocument getFlattenedDocument getNodesForSubtreeByStyle getNodeForLocation getOuterHTML getRelayoutBoundary getSearchResults hideHighlight highlightNode highlightRect markUndoableState moveTo performSearch pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend querySelector querySelectorAll getTopLayerElements getElementByRelation redo removeAttribute removeNode requestChildNodes requestNode resolveNode setAttributeValue setAttributesAsText setFileInputFiles setNodeStackTracesEnabled getNodeStackTraces getDetachedDomNodes setInspectedNode setNodeName setNodeValue setOuterHTML undo getFrameOwner getContainerForNode getQueryingDescendantsForContainer getAnchorElement forceShowPopover',
  DOMDebugger:
    'getEventListeners removeDOMBreakpoint removeEventListenerBreakpoint removeInstrumentationBreakpoint removeXHRBreakpoint setBreakOnCSPViolation setDOMBreakpoint setEventListenerBreakpoint setInstrumentationBreakpoint setXHRBreakpoint',
  DOMSnapshot: 'disable enable getSnapshot captureSnapshot',
  DOMStorage: 'clear disable enable getDOMStorageItems removeDOMStorageItem setDOMStorageItem',
  Debugger:
    'continueToLocation disable enable evaluateOnCallFrame getPossibleBreakpoints getScriptSource disassembleWasmModule nextWasmDisassemblyChunk getWasmBytecode getStackTrace pause pauseOnAsyncCall removeBreakpoint restartFrame resume searchInContent setAsyncCallStackDepth setBlackboxExecutionContexts setBlackboxPatterns setBlackboxedRanges setBreakpoint setInstrumentationBreakpoint setBreakpointByUrl setBreakpointOnFunctionCall setBreakpointsActive setPauseOnExceptions setReturnValue setScriptSource setSkipAllPauses setVariableValue stepInto stepOut stepOver',
  DeviceOrientation: 'clearDeviceOrientationOverride setDeviceOrientationOverride',
  Emulation:
    'canEmulate clearDeviceMetricsOverride clearGeolocationOverride resetPageScaleFactor setFocusEmulationEnabled setAutoDarkModeOverride setCPUThrottlingRate setDefaultBackgroundColorOverride setSafeAreaInsetsOverride setDeviceMetricsOverride setDevicePostureOverride clearDevicePostureOverride setScrollbarsHidden setDocumentCookieDisabled setEmitTouchEventsForMouse setEmulatedMedia setEmulatedVisionDeficiency setEmulatedOSTextScale setGeolocationOverride getOverriddenSensorInformation setSensorOverrideEnabled setSensorOverrideReadings setIdleOverride clearIdleOverride setNavigatorOverrides setPageScaleFactor setScriptExecutionDisabled setTouchEmulationEnabled setVirtualTimePolicy setLocaleOverride setTimezoneOverride setVisibleSize setDisabledImageTypes setDataSaverOverride setHardwareConcurrencyOverride setUserAgentOverride setAutomationOverride getScreenInfos',
  EventBreakpoints: 'setInstrumentationBreakpoint removeInstrumentationBreakpoint disable',
  HeapProfiler:
    'addInspectedHeapObject collectGarbage disable enable getHeapObjectId getObjectByHeapObjectId getSamplingProfile startSampling startTrackingHeapObjects stopSampling stopTrackingHeapObjects takeHeapSnapshot',
  IndexedDB:
    'clearObjectStore deleteDatabase deleteObjectStoreEntries disable enable requestData getMetadata requestDatabase requestDatabaseNames',
  Input:
    'dispatchDragEvent dispatchKeyEvent insertText imeSetComposition dispatchMouseEvent dispatchTouchEvent cancelDragging emulateTouchFromMouseEvent setIgnoreInputEvents setInterceptDrags synthesizePinchGesture synthesizeScrollGesture synthesizeTapGesture',
  Inspector: 'disable enable',
  LayerTree:
    'compositingReasons disable enable loadSnapshot makeSnapshot profileSnapshot releaseSnapshot replaySnapshot snapshotCommandLog',
  Log: 'clear disable enable startViolationsReport stopViolationsReport',
  Media: 'enable disable',
  Memory: 'getDOMCounters forciblyPurgeJavaScriptMemory',
  Network:
    'canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions clearBrowserCache clearBrowserCookies deleteCookies disable emulateNetworkConditions emulateNetworkConditionsByRule overrideNetworkState enable getAllCookies getCertificate getCookies getResponseBody getRequestPostData replayXHR searchInResponseBody setBlockedURLs setBypassServiceWorker setCacheDisabled setCookie setCookies setExtraHTTPHeaders setAttachDebugStack setUserAgentOverride streamResourceContent getSecurityIsolationStatus enableReportingApi',
  Overlay:
    'disable enable hideHighlight highlightFrame highlightNode highlightQuad highlightRect highlightSourceOrder setInspectMode setPausedInDebuggerMessage setShowDebugBorders setShowFPSCounter setShowGridOverlays setShowFlexOverlays setShowPaintRects setShowLayoutShiftRegions setShowViewportSizeOnResize',
  Page: 'addScriptToEvaluateOnLoad addScriptToEvaluateOnNewDocument bringToFront captureScreenshot captureSnapshot clearDeviceMetricsOverride clearDeviceOrientationOverride clearGeolocationOverride createIsolatedWorld deleteCookie disable enable getAppManifest getInstallabilityErrors getManifestIcons getAppId getFrameTree getLayoutMetrics getNavigationHistory resetNavigationHistory getResourceContent getResourceTree handleJavaScriptDialog navigate navigateToHistoryEntry printToPDF reload removeScriptToEvaluateOnLoad removeScriptToEvaluateOnNewDocument screencastFrameAck searchInResource setBypassCSP getPermissionsPolicyState getOriginTrials setDeviceMetricsOverride setDeviceOrientationOverride setFontFamilies setFontSizes setDocumentContent setGeolocationOverride setLifecycleEventsEnabled setTouchEmulationEnabled startScreencast stopLoading close setWebLifecycleState stopScreencast waitForDebugger setInterceptFileChooserDialog',
  Performance: 'disable enable setTimeDomain getMetrics',
  PerformanceTimeline: 'enable',
  Profiler:
    'disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop stopPreciseCoverage takePreciseCoverage',
  Runtime:
    'awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate getIsolateId getHeapUsage getProperties globalLexicalScopeNames queryObjects releaseObject releaseObjectGroup runIfWaitingForDebugger runScript setAsyncCallStackDepth setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture terminateExecution addBinding removeBinding getExceptionDetails',
  Schema: 'getDomains',
  Security: 'disable enable setIgnoreCertificateErrors handleCertificateError setOverrideCertificateErrors',
  ServiceWorker:
    'deliverPushMessage disable dispatchSyncEvent dispatchPeriodicSyncEvent enable setForceUpdateOnPageLoad skipWaiting startWorker stopAllWorkers stopWorker unregister updateRegistration',
  WebAudio: 'enable disable getRealtimeData',
  WebAuthn:
    'enable disable addVirtualAuthenticator setResponseOverrideBits removeVirtualAuthenticator addCredential getCredential getCredentials removeCredential clearCredentials setUserVerified setAutomaticPresenceSimulation setCredentialProperties',
}

/** Methods of the browser process. Safe because the process serves only one client, who owns all contexts, targets,
 *  streams and traces. */
const ofTheBrowser: Record<string, string> = {
  Browser:
    'setPermission grantPermissions resetPermissions setDownloadBehavior cancelDownload close getVersion getWindowBounds getWindowForTarget setWindowBounds setContentsSize',
  Fetch:
    'disable enable failRequest fulfillRequest continueRequest continueWithAuth continueResponse getResponseBody takeResponseBodyAsStream',
  IO: 'close read resolveBlob',
  Storage:
    'getStorageKeyForFrame getStorageKey clearDataForOrigin clearDataForStorageKey getCookies setCookies clearCookies getUsageAndQuota trackCacheStorageForOrigin trackCacheStorageForStorageKey trackIndexedDBForOrigin trackIndexedDBForStorageKey untrackCacheStorageForOrigin untrackCacheStorageForStorageKey untrackIndexedDBForOrigin untrackIndexedDBForStorageKey',
  Target:
    'activateTarget attachToTarget attachToBrowserTarget closeTarget createBrowserContext getBrowserContexts createTarget detachFromTarget disposeBrowserContext getTargetInfo getTargets setAutoAttach setDiscoverTargets',
  Tracing: 'end getCategories start',
}

export const allowedMethods: ReadonlySet<string> = new Set(
  Object.entries({ ...ofPages, ...ofTheBrowser }).flatMap(([domain, methods]) =>
    methods.split(' ').map(method => `${domain}.${method}`),
  ),
)
