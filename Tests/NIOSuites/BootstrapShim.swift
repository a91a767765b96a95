// Takes the place of NIOPosix's bootstraps, beside Shim.swift.
import UVNIO

typealias ServerBootstrap = UVServerBootstrap
typealias ClientBootstrap = UVClientBootstrap
typealias DatagramBootstrap = UVDatagramBootstrap
typealias NIOPipeBootstrap = UVPipeBootstrap
