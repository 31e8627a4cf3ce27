import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { findOnPath, runToEnd } from '../executables.ts'

/** The binary of a program or plugin. `cleanUp` must be called after its process has ended. */
export interface ProgramBinary {
  readonly command: string
  readonly cleanUp: () => void
}

interface GoDeps {
  readonly processes: ProcessesPort
  readonly env: Readonly<Record<string, string>>
}

/** A platform in Go's names, such as `linux` and `arm64`. */
export interface GoPlatform {
  readonly os: string
  readonly arch: string
}

/**
 * Builds a Go package: for this machine, or for another platform and without C. For a debugger, the
 * build has no optimizations, as in Pulumi. Throws PROGRAM_LANGUAGE_MISSING, PROGRAM_BUILD_FAILED.
 */
export async function buildGo(
  deps: GoDeps,
  target: {
    readonly kind: 'program' | 'plugin'
    readonly directory: string
    readonly entryPoint?: string
    readonly platform?: GoPlatform
    /** Whether the binary runs under a debugger. */
    readonly isDebugged?: boolean
  },
): Promise<ProgramBinary> {
  const { kind, directory, entryPoint = '.', platform, isDebugged = false } = target
  const variables =
    platform === undefined ? {} : { GOOS: platform.os, GOARCH: platform.arch, CGO_ENABLED: '0' }
  const debugOptions = isDebugged ? ['-gcflags=all=-N -l'] : []
  const options = platform === undefined ? debugOptions : ['-trimpath', '-ldflags=-s -w']
  const go = findGo(deps.env)
  const folder = mkdtempSync(join(tmpdir(), 'antichain-go-'))
  const command = join(folder, kind)
  const cleanUp = (): void => rmSync(folder, { recursive: true, force: true })
  const { code, stderr, stdout } = await runToEnd(deps.processes, {
    command: go,
    args: ['build', '-buildvcs=false', ...options, '-o', command, entryPoint],
    cwd: directory,
    env: { ...deps.env, ...variables },
  })
  if (code === 0) return { command, cleanUp }
  cleanUp()
  throw createError(
    'PROGRAM_BUILD_FAILED',
    `\`go build\` failed for the ${kind}:\n${[stderr, stdout].filter(text => text !== '').join('\n')}`,
  )
}

/** Returns the `go` command of a PATH. Throws PROGRAM_LANGUAGE_MISSING. */
export function findGo(env: Readonly<Record<string, string>>): string {
  const go = findOnPath('go', env['PATH'] ?? '')
  if (go !== undefined) return go
  throw createError(
    'PROGRAM_LANGUAGE_MISSING',
    'go is not on PATH: install it, or set `binary` in the runtime options to a program that is built for this machine',
  )
}
