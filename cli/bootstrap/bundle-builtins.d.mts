import type { Plugin } from 'esbuild'

export function createBuiltinPlugin(): Plugin
