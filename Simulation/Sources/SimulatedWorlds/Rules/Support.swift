// In each file of this module.
@_exported import WorldSupport
