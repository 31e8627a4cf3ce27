/**
 * The published tests of Pulumi's SDKs. The Go module of the SDK contains those of Go, Node and
 * Python; the packages of npm and PyPI contain none.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect } from 'vitest'
import { launcher, type Sandbox } from './sandbox.ts'

/** The commands that the download of a module needs. */
export const goCommands = [['go', 'version']] as const

/**
 * Downloads the Go module of Pulumi's SDK, and copies the folder `path` of it to `target`.
 * `sdkModule`: the module with its version.
 */
export function copyPublishedFolder(
  sdkModule: string,
  { path, target, cwd }: { readonly path: string; readonly target: string; readonly cwd: string },
): void {
  const downloadResult = spawnSync('go', ['mod', 'download', '-json', sdkModule], {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, GO111MODULE: 'on' },
  })
  expect(downloadResult.status, downloadResult.stderr).toBe(0)
  const { Dir: moduleFolder } = JSON.parse(downloadResult.stdout) as { readonly Dir: string }
  cpSync(join(moduleFolder, path), target, { recursive: true })
  // Go stores modules without write permissions.
  for (const name of ['', ...readdirSync(target, { recursive: true, encoding: 'utf8' })])
    chmodSync(join(target, name), 0o755)
}

/**
 * Returns the environment of published tests, in which the launcher has the name `pulumi`.
 * `commandFolders`: further folders of commands, which come first.
 */
export function createPublishedTestEnvironment(
  sandbox: Sandbox,
  variables: Readonly<Record<string, string>> = {},
  commandFolders: readonly string[] = [],
): Record<string, string> {
  const bin = join(sandbox.program, 'bin')
  mkdirSync(bin)
  symlinkSync(launcher, join(bin, 'pulumi'))
  const environment = sandbox.createEnvironment({
    GOPATH: process.env['GOPATH'] ?? join(homedir(), 'go'),
    ...variables,
  })
  return { ...environment, PATH: [...commandFolders, bin, environment['PATH']].join(delimiter) }
}
