import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandBench, createCommandBench } from '../backends/command-bench.ts'

let bench: CommandBench
beforeEach(async () => {
  bench = createCommandBench()
  await run('stack', 'init', 'dev')
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const read = (name: string): string => readFileSync(join(bench.root, name), 'utf8')
const write = (name: string, text: string): void => writeFileSync(join(bench.root, name), text)

/** Runs a command, which must succeed. Returns its standard output. */
async function run(...args: string[]): Promise<string> {
  const { exit, out, err } = await bench.run(...args)
  if (exit !== 0) throw new Error(`${args.join(' ')}: ${err}`)
  return out
}

const listNames = async (...args: string[]): Promise<readonly string[]> =>
  (JSON.parse(await run('stack', 'ls', '--output', 'json', ...args)) as { name: string }[]).map(
    ({ name }) => name,
  )

describe('stack init', () => {
  test('--copy-config-from copies values, encrypts secrets again, and keeps environments', async () => {
    await run('config', 'set', 'plain', 'text', '-s', 'dev')
    await run('config', 'set', '--secret', '--path', 'tree.leaf', 'hush', '-s', 'dev')
    write('Pulumi.dev.yaml', `environment: [base]\n${read('Pulumi.dev.yaml')}`)
    await run('stack', 'new', 'prod', '--copy-config-from', 'dev', '--no-select')
    const copy = read('Pulumi.prod.yaml')
    expect(copy).toMatch(/environment:\n? *(- |\[ ?)base/)
    expect(copy).not.toContain('hush')
    const ciphertext = /secure: (\S+)/.exec(read('Pulumi.dev.yaml'))?.[1]
    expect(copy).not.toContain(ciphertext)
    expect(await run('config', 'get', 'tree.leaf', '--path', '-s', 'prod')).toBe('hush\n')
    expect(await run('config', 'get', 'plain', '-s', 'prod')).toBe('text\n')
  })

  test('creates nothing without the other stack, or without the passphrase of its secrets', async () => {
    const missing = await bench.run('stack', 'init', 'a', '--copy-config-from', 'none')
    expect(missing.err).toContain("error[STACK_NOT_FOUND]: no stack named 'none'")
    await run('config', 'set', '--secret', 'token', 'hush', '-s', 'dev')
    bench.env['PULUMI_CONFIG_PASSPHRASE'] = 'wrong'
    const unreadable = await bench.run('stack', 'init', 'b', '--copy-config-from', 'dev')
    expect(unreadable.err).toContain('SECRETS_PASSPHRASE_WRONG')
    expect(await listNames()).toEqual(['dev'])
  })

  test('refuses teams and remote configuration with a reason, as on other backends', async () => {
    const teams = await bench.run('stack', 'init', 'x', '--teams', 'ops')
    expect([teams.exit, teams.err]).toEqual([1, expect.stringContaining('stacks have no teams')])
    const remote = await bench.run('stack', 'init', 'x', '--remote-config')
    expect([remote.exit, remote.err]).toEqual([1, expect.stringContaining('is a file, not remote')])
    expect(await listNames()).toEqual(['dev'])
    await run('stack', 'init', 'x', '--teams', ' ')
  })
})

test('stack ls lists nothing of another organization, and filters by tag', async () => {
  await run('stack', 'init', 'prod')
  await run('stack', 'tag', 'set', 'team', 'web', '-s', 'prod')
  expect(await listNames('-o', 'organization')).toEqual(['dev', 'prod'])
  expect(await listNames('--organization', 'acme')).toEqual([])
  expect(await listNames('--tag', 'team=web')).toEqual(['prod'])
  expect(await listNames('-t', 'team', '--organization', 'acme')).toEqual([])
  const tags = await run('stack', 'tag', 'ls', '--output', 'json', '-s', 'prod')
  expect(JSON.parse(tags)).toEqual({ team: 'web' })
  expect(JSON.parse(await run('stack', 'history', '--output', 'json', '-s', 'prod'))).toEqual([])
})

test('stack tag sets a tag with the name __proto__, and later changes of other tags keep it', async () => {
  await run('stack', 'tag', 'set', '__proto__', 'web', '-s', 'dev')
  await run('stack', 'tag', 'set', 'owner', 'me', '-s', 'dev')
  const listArgs = ['stack', 'tag', 'ls', '--output', 'json', '-s', 'dev']
  const tags = '{"__proto__":"web","owner":"me"}'
  expect(JSON.stringify(JSON.parse(await run(...listArgs)))).toBe(tags)
  expect(await run('stack', 'tag', 'get', '__proto__', '-s', 'dev')).toBe('web\n')
  expect(await listNames('--tag', '__proto__=web')).toEqual(['dev'])
  await run('stack', 'tag', 'rm', '__proto__', '-s', 'dev')
  expect(JSON.parse(await run(...listArgs))).toEqual({ owner: 'me' })
})

test('schedules and webhooks of a self-managed backend warn that no process serves it', async () => {
  const driftSchedule = ['stack', 'schedule', 'new', '--kind', 'drift', '--cron', '0 4 * * *']
  const schedule = ['schedule', 'create', 'x', '--when', '0 4 * * *']
  const webhook = ['stack', 'webhook', 'new', '--name', 'x', '--url', 'https://example.com/', '-y']
  for (const args of [driftSchedule, schedule, webhook])
    expect((await bench.run(...args, '-s', 'dev')).err).not.toContain('warning')
  await run('login', `file://${join(bench.root, 'backend')}?create_dir=true`)
  await run('stack', 'init', 'far')
  for (const args of [driftSchedule, schedule, webhook]) {
    const { exit, err } = await bench.run(...args, '-s', 'far')
    expect([args, exit, err]).toEqual([
      args,
      0,
      expect.stringMatching(/warning: no process serves/),
    ])
  }
})

test('stack --output json shows the stack as Pulumi does', async () => {
  await run('stack', 'tag', 'set', 'team', 'web', '-s', 'dev')
  const expected = {
    organization: 'organization',
    project: 'shop',
    stack: 'dev',
    backend: 'local',
    version: 0,
    tags: { team: 'web' },
    resources: [],
    outputs: {},
  }
  expect(JSON.parse(await run('stack', '--output', 'json', '-s', 'dev'))).toEqual(expected)
  expect(JSON.parse(await run('stack', 'get', '--output', 'json', '-s', 'dev'))).toEqual(expected)
})

describe('a state', () => {
  const toUrn = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`
  const importState = async (fields: object): Promise<void> => {
    const manifest = { time: '2026-01-01T00:00:00Z', magic: '', version: '' }
    const deployment = { manifest, metadata: {}, ...fields }
    write(
      'state.json',
      JSON.stringify({ version: 4, features: ['snippets-prototype'], deployment }),
    )
    await run('stack', 'import', '--file', 'state.json', '-s', 'dev')
  }

  test('without a secret needs no secrets provider for state get --show-secrets', async () => {
    const resource = { urn: toUrn('x'), custom: false, type: 'a:b:C', outputs: { size: 3 } }
    await importState({ resources: [resource] })
    bench.env['PULUMI_CONFIG_PASSPHRASE'] = undefined
    const shown = await run('state', 'get', 'x', '--show-secrets', '--output', 'json', '-s', 'dev')
    expect(JSON.parse(shown)).toMatchObject({ outputs: { size: 3 } })
    expect(JSON.parse(await run('stack', '--output', 'json', '-s', 'dev'))).toMatchObject({
      version: 1,
      secretsProvider: { type: 'passphrase' },
      outputs: {},
      manifest: { time: '2026-01-01T00:00:00Z' },
      resources: [{ urn: toUrn('x'), type: 'a:b:C', name: 'x' }],
    })
  })
})
