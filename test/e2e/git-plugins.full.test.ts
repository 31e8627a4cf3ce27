import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { createSandbox, type Sandbox, requireSuccess } from './sandbox.ts'

const gold = join(import.meta.dirname, '../golden/provider')
let sandbox: Sandbox
afterEach(() => sandbox.remove())

const rootOf = ({ program }: Sandbox): string => dirname(program)

const program = `'use strict'
const { Thing } = require('./gold')
new Thing('thing', { value: 1 }, {
  version: '1.2.0', pluginDownloadURL: 'git://git.example/org/plugins/gold',
})
`

/**
 * Creates a repository that has the plugin in a folder, at a tag. Returns the variables that
 * redirect Git to it.
 */
function createRepository(root: string): Readonly<Record<string, string>> {
  const folder = join(root, 'repositories', 'org', 'plugins.git')
  mkdirSync(folder, { recursive: true })
  cpSync(gold, join(folder, 'gold'), { recursive: true })
  const runGit = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args])
  runGit('init', '--quiet', '.')
  runGit('add', '.')
  runGit('commit', '--quiet', '-m', 'a plugin')
  runGit('tag', 'v1.2.0')
  return {
    PULUMI_IGNORE_AMBIENT_PLUGINS: 'true',
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: '',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${pathToFileURL(join(root, 'repositories')).href}/.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://git.example/',
  }
}

test('a plugin that a resource names by its repository is downloaded, used and cached', async () => {
  sandbox = createSandbox('small', { files: { 'index.js': program } })
  const env = createRepository(rootOf(sandbox))
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  const up = ['up', '--yes', '--skip-preview', '-s', 'dev']
  requireSuccess(await sandbox.run(up, { env }))
  expect(sandbox.listObjects().map(({ id }) => id)).toEqual(['thing-1'])
  const cached = readdirSync(join(rootOf(sandbox), 'pulumi', 'plugins'))
  expect(cached).toContain('resource-git.example_org_plugins.git_gold-v1.2.0')
  expect(await sandbox.exportState()).toContain(
    '"pluginDownloadURL": "git://git.example/org/plugins/gold"',
  )
  // A cached plugin is not downloaded again, and the destroy finds it by the state.
  const offline = { ...env, GIT_CONFIG_COUNT: '0' }
  requireSuccess(await sandbox.run([...up, '--expect-no-changes'], { env: offline }))
  requireSuccess(
    await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev'], { env: offline }),
  )
  expect(sandbox.listObjects()).toEqual([])
})

test('a version that is missing in the repository is an error with the message from Git', async () => {
  const wrong = program.replace('1.2.0', '9.9.9')
  sandbox = createSandbox('small', { files: { 'index.js': wrong } })
  const env = createRepository(rootOf(sandbox))
  requireSuccess(await sandbox.run(['stack', 'init', 'dev']))
  const result = await sandbox.run(['up', '--yes', '--skip-preview', '-s', 'dev'], { env })
  expect(result.exit).not.toBe(0)
  expect(result.out + result.err).toContain("couldn't find remote ref refs/tags/v9.9.9")
  expect(sandbox.listObjects()).toEqual([])
})

test('`plugin install` accepts the address of a repository', async () => {
  sandbox = createSandbox('small')
  const env = createRepository(rootOf(sandbox))
  const pluginAddress = 'git.example/org/plugins/gold'
  requireSuccess(await sandbox.run(['plugin', 'install', 'resource', pluginAddress], { env }))
  const listed = requireSuccess(await sandbox.run(['plugin', 'ls', '--json'], { env })).out
  expect(JSON.parse(listed)).toMatchObject([
    { name: 'git.example_org_plugins.git_gold', version: '1.2.0' },
  ])
  const twice = await sandbox.run(
    ['plugin', 'install', 'resource', `${pluginAddress}@1.2.0`, '1.2.0'],
    {
      env,
    },
  )
  expect(twice.err).toContain('cannot specify a version when the version is part of the name')
})
