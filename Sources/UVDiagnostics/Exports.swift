// A page is a handler of `UVHTTP`; `watchStalls` finds the functions that it names.
@_exported public import UVHTTP
@_exported public import UVStalls
