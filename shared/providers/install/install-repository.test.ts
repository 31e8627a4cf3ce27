import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGitRunner } from '../../runtime/plugins/plugin-install-deps.ts'
import { createProcesses } from '../../platform/system/processes.ts'
import { findPlugin } from '../plugins/find-plugin.ts'
import { installPlugin, type InstallDeps } from './install-plugin.ts'
import type { PluginRequest } from './plugin-address.ts'

let home: string
let repository: string
const messages: string[] = []
let processes: ReturnType<typeof createProcesses>
const preparedFolders: string[] = []

/** An environment for Git without the user's settings. It maps `git.example` to a local folder. */
const createGitEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: `url.${pathToFileURL(join(home, 'repositories')).href}/.insteadOf`,
  GIT_CONFIG_VALUE_0: 'https://me:word@git.example/',
  // The variable of a calling Git process, which must have no effect.
  GIT_DIR: join(home, 'elsewhere'),
})

const runGit = (...args: readonly string[]): string =>
  execFileSync(
    'git',
    ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args],
    { env: { ...createGitEnvironment(), GIT_DIR: join(repository, '.git') }, encoding: 'utf8' },
  ).trim()

/** Commits a plugin that prints a text. Returns the id of the commit. */
function commit(text: string): string {
  const file = join(repository, 'sub', 'pulumi-resource-thing')
  writeFileSync(file, `#!/bin/sh\necho ${text}\n`, { mode: 0o755 })
  runGit('add', '.')
  runGit('commit', '--quiet', '-m', text)
  return runGit('rev-parse', 'HEAD')
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'antichain-repository-'))
  repository = join(home, 'repositories', 'org', 'thing.git')
  mkdirSync(join(repository, 'sub'), { recursive: true })
  runGit('init', '--quiet', '--initial-branch=trunk', '.')
  symlinkSync('sub/pulumi-resource-thing', join(repository, 'link'))
  messages.length = 0
  preparedFolders.length = 0
  processes = createProcesses()
})

afterEach(async () => {
  await processes.close()
  rmSync(home, { recursive: true, force: true })
})

const downloadUrl = 'git://me:word@git.example/org/thing/sub'
const cachedName = 'git.example_org_thing.git_sub'

const install = (fields: Partial<PluginRequest> = {}): Promise<string> => {
  const deps: InstallDeps = {
    fetch,
    git: createGitRunner({ env: createGitEnvironment(), processes }),
    env: {},
    machine: { os: 'linux', arch: 'amd64' },
    version: '3.0.0',
    pause: () => Promise.resolve(),
    report: (severity, text) => void messages.push(`${severity} ${text}`),
    cache: join(home, '.pulumi', 'plugins'),
    installDependencies: folder => Promise.resolve(void preparedFolders.push(folder)),
  }
  const plugin = { kind: 'resource', name: 'thing', version: '', checksums: new Map() }
  return installPlugin({ plugin: { ...plugin, downloadUrl, ...fields } }, deps)
}

/** Returns the command in the script of the plugin that is found. */
function readFoundCommand(version: string): string {
  const plugin = { kind: 'resource', name: 'thing', version, downloadUrl }
  const lookup = findPlugin(plugin, { env: {}, home, path: '' })
  if ('missing' in lookup) throw new Error(lookup.missing)
  return readFileSync(lookup.path, 'utf8').split('\n')[1] ?? ''
}

describe('a plugin from a repository', () => {
  test('has the version of the highest tag, and is stored where Pulumi searches for it', async () => {
    for (const [tag, text] of [
      ['v1.9.0', 'nine'],
      ['v1.10.0', 'ten'],
      ['v2.0.0-beta', 'beta'],
      ['latest', 'none'],
    ] as const) {
      commit(text)
      runGit('tag', '-a', tag, '-m', tag)
    }
    expect(await install()).toBe('1.10.0')
    const folder = join(home, '.pulumi', 'plugins', `resource-${cachedName}-v1.10.0`)
    expect(readdirSync(folder).sort()).toEqual(['link', 'sub'])
    expect(readlinkSync(join(folder, 'link'))).toBe('sub/pulumi-resource-thing')
    expect(preparedFolders).toEqual([join(folder, 'sub')])
    expect(readFoundCommand('')).toBe('echo ten')
    expect(readFoundCommand('1.10.0')).toBe('echo ten')
    expect(await install({ version: '2.0.0-beta' })).toBe('2.0.0-beta')
    expect(readFoundCommand('2.0.0-beta')).toBe('echo beta')
  })

  // A fetch of exactly `v<version>` would fail for these latest versions.
  test.each([
    ['1.2.3', '1.2.3'],
    ['v1.2', '1.2.0'],
    ['7', '7.0.0'],
  ])('with the tag %s is installed as version %s', async (tag, version) => {
    commit('tagged')
    runGit('tag', '-a', tag, '-m', tag)
    commit('later')
    expect(await install()).toBe(version)
    expect(readFoundCommand(version)).toBe('echo tagged')
  })

  test('with several tags of version 1.2.0 is installed from the tag v1.2.0', async () => {
    for (const tag of ['1.2', '1.2.0', 'v1.2', 'v1.2.0', 'v01.2.0']) {
      commit(tag)
      runGit('tag', '-a', tag, '-m', tag)
    }
    await install({ version: '1.2.0' })
    expect(readFoundCommand('1.2.0')).toBe('echo v1.2.0')
  })

  test('without tags has its last commit as version, and accepts abbreviated commits', async () => {
    const first = commit('first')
    const last = commit('last')
    expect(await install()).toBe(`0.0.0-x${last}`)
    expect(readFoundCommand(`0.0.0-x${last}`)).toBe('echo last')
    const short = `0.0.0-x${first.slice(0, 10)}`
    expect(await install({ version: short })).toBe(short)
    expect(readFoundCommand(short)).toBe('echo first')
    await install({ version: '0.0.0' })
    expect(readFoundCommand('0.0.0')).toBe('echo last')
  })

  test('without the requested version leaves no files, and the error contains no password', async () => {
    commit('first')
    const refusal = await install({ version: '3.0.0' }).catch(String)
    expect(refusal).toContain('https://git.example/org/thing.git cannot be read by git')
    expect(refusal).toContain('refs/tags/v3.0.0')
    expect([refusal, ...messages].join('\n')).not.toContain('word')
    const pluginFiles = readdirSync(join(home, '.pulumi', 'plugins')).filter(
      name => !name.endsWith('.lock'),
    )
    expect(pluginFiles).toEqual([])
    const installation = install({ downloadUrl: 'git://me:word@git.example/org/other' })
    await expect(installation).rejects.toMatchObject({ code: 'PLUGIN_DOWNLOAD' })
  })

  test('with a checksum is refused, because a repository has none to compare', async () => {
    commit('first')
    const checksums = new Map([['linux-amd64', 'ab']])
    const refused = install({ version: '0.0.0', checksums })
    await expect(refused).rejects.toMatchObject({ code: 'PLUGIN_CHECKSUM' })
    expect(existsSync(join(home, '.pulumi', 'plugins', `resource-${cachedName}-v0.0.0`))).toBe(
      false,
    )
  })
})
