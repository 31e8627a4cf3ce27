import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/arguments/run-command-line.ts'
import type { Io } from '../../../cli/session/io.ts'
import { createLazyTools } from '../../../cli/session/lazy-tools.ts'
import { createToken } from '../../../shared/api/issue-token.ts'
import { createApiPorts, serveApi, type ServedApi } from '../../../local/serve-api.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../../shared/platform/embedded/embedded-platform.ts'
import { stackIdOf } from '../../../shared/records/ids.ts'

let root = ''
let platform: EmbeddedPlatform
let api: ServedApi

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cli-policy-'))
  platform = await openEmbeddedPlatform({ home: join(root, 'server') })
  for (const stack of ['dev', 'prod'])
    await platform.catalog.createStack(stackIdOf('shop', stack), platform.clock.now())
  // The API knows a group to which the project `pay` belongs.
  const stackGroups = [{ name: 'payments', projects: ['pay'] }]
  await platform.catalog.createStack(stackIdOf('pay', 'dev'), platform.clock.now())
  const ports = { ...createApiPorts(platform, undefined), stackGroups }
  api = await serveApi(ports, { host: '127.0.0.1', port: 0 })
  const { token } = await createToken(platform, { name: 'admin', role: 'admin', days: 'never' })
  expect((await run('login', api.url, '--token', token)).exit).toBe(0)
  mkdirSync(join(root, 'rules'))
  writeFileSync(join(root, 'rules/PulumiPolicy.yaml'), 'runtime: nodejs\n')
})
afterAll(async () => {
  await api.close()
  await platform.close()
  rmSync(root, { recursive: true })
})

/** Runs a command with a login to the API. */
async function run(...args: readonly string[]) {
  let [out, err] = ['', '']
  const readNothing = async (): Promise<string> => ''
  const io: Io = {
    stdout: { write: text => (out += text) },
    stderr: { write: text => (err += text) },
    env: { ANTICHAIN_HOME: join(root, 'client') },
    cwd: root,
    isTerminal: false,
    prompt: readNothing,
    promptHidden: readNothing,
    readInput: readNothing,
    onInterrupt: () => () => {},
  }
  const exit = await runCommandLine(args, io, createLazyTools())
  return { exit, out, err }
}

const listAttached = async () => JSON.parse((await run('policy', 'ls', '--json')).out)

test('policy attach takes several stacks, prints a line for each, and replaces the earlier selection', async () => {
  const stacks = ['--stack', 'shop/dev', '-s', 'organization/shop/prod', '-s', 'shop/dev']
  const attached = await run('policy', 'attach', 'rules', ...stacks, '--json')
  expect([attached.exit, attached.err.trim().split('\n')]).toEqual([
    0,
    ["Attached policy pack 'rules' to shop/dev.", "Attached policy pack 'rules' to shop/prod."],
  ])
  const selection = { projects: [], tags: {}, stacks: ['shop/dev', 'shop/prod'] }
  expect(JSON.parse(attached.out)).toMatchObject({ name: 'rules', stacks: selection })
  expect(await listAttached()).toMatchObject([{ name: 'rules', value: { stacks: selection } }])
  const filters = ['--all', '--project', 'shop', '--tag', 'tier=prod', '--tag', 'team=a=b']
  const shared = await run('policy', 'attach', 'rules', ...filters)
  expect(shared.err).toBe(
    "Attached policy pack 'rules' to the stacks of the project shop and the tag tier=prod and the tag team=a=b.\n",
  )
  const tags = { tier: 'prod', team: 'a=b' }
  expect(await listAttached()).toMatchObject([
    { value: { stacks: { projects: ['shop'], tags, stacks: [] } } },
  ])
  const all = await run('policy', 'attach', 'rules', '-a')
  expect(all.err).toBe("Attached policy pack 'rules' to all stacks.\n")
  const listed = await run('policy', 'ls')
  expect(listed.out).toMatch(/rules +[0-9a-f]{12} +all stacks/)
})

test('policy attach with a stack that cannot have the pack attaches it to none', async () => {
  await run('policy', 'detach', 'rules')
  for (const [code, text, ...args] of [
    ['STACK_NOT_FOUND', "'nowhere'", '-s', 'shop/dev', '-s', 'shop/nowhere'],
    ['CLI_USAGE', '--all selects every stack', '-s', 'shop/dev', '--all'],
    ['CLI_USAGE', "--tag takes <name>=<value>, not 'tier'", '--tag', 'tier'],
    ['STACK_GROUP_DIFFERENT', 'the request to attach it', '-s', 'shop/dev', '-s', 'pay/dev'],
    ['STACK_GROUP_DIFFERENT', "the project 'pay' is in the group", '--project', 'pay'],
  ] as const) {
    const { exit, err } = await run('policy', 'attach', 'rules', ...args)
    expect([exit, err]).toEqual([expect.any(Number), expect.stringContaining(code)])
    expect([exit === 0, err.includes(text)]).toEqual([false, true])
  }
  expect(await listAttached()).toEqual([])
})

test('a command for one stack uses the last of several --stack options', async () => {
  const { out } = await run('stack', 'tag', 'ls', '--json', '-s', 'shop/nowhere', '-s', 'shop/dev')
  expect(JSON.parse(out)).toEqual({})
})
