'use strict';
// SWIFT_UV_ADDON names another build, such as one for debugging.
module.exports = require(process.env.SWIFT_UV_ADDON || './build/Example.node');
