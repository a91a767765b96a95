// `Stall` comes with this module.
@_exported import StallWatch
