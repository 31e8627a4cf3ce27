import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashMember } from '../../../cli/exports/manifest.ts'
import { type CommandBench, createCommandBench } from './command-bench.ts'

let bench: CommandBench
beforeEach(() => {
  bench = createCommandBench()
})
afterEach(() => rmSync(bench.root, { recursive: true, force: true }))

const secretText = 'a secret that no export has'

/** Selects the home folder of the next commands. */
const useHome = (name: string): void => {
  bench.env['ANTICHAIN_HOME'] = join(bench.root, name)
}
const run = async (...args: readonly string[]): Promise<string> => {
  const result = await bench.run(...args)
  expect([args, result.exit, result.err]).toEqual([args, 0, expect.any(String)])
  return result.out
}

/** Imports a state, whose outputs are the version and a secret, into a stack. */
async function importState(stack: string, version: string): Promise<void> {
  const secret = {
    '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
    plaintext: JSON.stringify(secretText),
  }
  const urn = `urn:pulumi:${stack}::shop::pulumi:pulumi:Stack::shop-${stack}`
  const outputs = { version, secret }
  const resource = { urn, custom: false, type: 'pulumi:pulumi:Stack', outputs }
  const manifest = { time: '2026-01-01T00:00:00Z', magic: '', version: '' }
  const file = join(bench.root, 'state.json')
  writeFileSync(
    file,
    JSON.stringify({ version: 3, deployment: { manifest, resources: [resource] } }),
  )
  await run('stack', 'import', '-s', stack, '--file', file)
}

/** Creates a stack with one version, in the home folder `source`. */
async function createSource(): Promise<void> {
  useHome('source')
  await run('stack', 'init', 'dev')
  await importState('dev', 'two')
}

/** Creates a stack with two versions, a tag and a schedule. */
async function createFullSource(): Promise<void> {
  useHome('source')
  await run('stack', 'init', 'dev')
  await importState('dev', 'one')
  await importState('dev', 'two')
  await run('stack', 'tag', 'set', 'team', 'web', '-s', 'dev')
  await run('schedule', 'create', 'nightly', '--when', 'rate(1 day)', '-s', 'dev')
}

const importWith = async (path: string, ...options: readonly string[]) =>
  JSON.parse(await run('platform', 'import', path, '--json', '--yes', ...options))
const readStack = async () => ({
  state: JSON.parse(await run('stack', 'export', '-s', 'dev')).deployment.resources,
  earlier: JSON.parse(await run('stack', 'export', '-s', 'dev', '--version', '1')).deployment
    .resources,
  history: JSON.parse(await run('stack', 'history', '--json', '-s', 'dev')),
  outputs: JSON.parse(await run('stack', 'output', '--json', '--show-secrets', '-s', 'dev')),
  tags: await run('stack', 'tag', 'ls', '-s', 'dev'),
})

test('platform import gives another home the states, the history and the settings of an export', async () => {
  await createFullSource()
  const source = await readStack()
  expect(source.outputs).toEqual({ version: 'two', secret: secretText })
  const archive = join(bench.root, 'all.tar.gz')
  expect(await run('platform', 'export', archive)).toContain('Exported 1 stack')
  expect(statSync(archive).mode & 0o077).toBe(0)
  useHome('target')
  const preview = await importWith(archive, '--preview')
  const counts = { history: 2, version: 2, states: 2, isRenumbered: false }
  expect(preview.stacks).toMatchObject([{ status: 'new', action: 'import', ...counts }])
  expect(await run('stack', 'ls', '--json', '--all')).not.toContain('dev')
  await importWith(archive)
  expect(await readStack()).toEqual(source)
  expect(await run('schedule', 'ls', '-s', 'dev')).toMatch(/nightly +paused/)
  expect((await importWith(archive)).stacks).toMatchObject([{ status: 'present', action: 'skip' }])
  // The export of the copy has the same stack.
  const back = join(bench.root, 'back.tar.gz')
  await run('platform', 'export', back)
  useHome('source')
  expect((await importWith(back)).stacks).toMatchObject([{ status: 'present' }])
})

test('platform import changes an existing stack only with --overwrite', async () => {
  await createSource()
  const folder = join(bench.root, 'all')
  await run('platform', 'export', folder)
  useHome('target')
  await run('stack', 'init', 'dev')
  await importState('dev', 'other')
  const { stacks } = await importWith(folder)
  expect(stacks).toMatchObject([{ status: 'exists', action: 'skip' }])
  expect(JSON.parse(await run('stack', 'output', '--json', '-s', 'dev'))).toMatchObject({
    version: 'other',
  })
  expect((await importWith(folder, '--overwrite')).stacks).toMatchObject([{ action: 'overwrite' }])
  const repeated = await importWith(folder, '--overwrite')
  expect(repeated.stacks).toMatchObject([{ status: 'present', action: 'skip' }])
  expect(JSON.parse(await run('stack', 'output', '--json', '-s', 'dev'))).toMatchObject({
    version: 'two',
  })
})

test('no file of an export has the plaintext of a secret, and a changed or cut export is refused', async () => {
  await createSource()
  const folder = join(bench.root, 'all')
  await run('platform', 'export', folder)
  const archive = join(bench.root, 'all.tgz')
  await run('platform', 'export', archive)
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
  expect(files.length).toBeGreaterThan(4)
  for (const file of files) expect(readFileSync(file, 'utf8')).not.toContain(secretText)
  useHome('target')
  const refuse = async (path: string, reason: string): Promise<void> => {
    const result = await bench.run('platform', 'import', path, '--yes')
    expect([result.exit, result.err]).toEqual([1, expect.stringContaining('EXPORT_INVALID')])
    expect(result.err).toContain(reason)
  }
  writeFileSync(archive, readFileSync(archive).subarray(0, 900))
  await refuse(archive, 'incomplete')
  const state = join(folder, 'stacks/0/state.json')
  writeFileSync(state, readFileSync(state, 'utf8').replace('"two"', '"six"'))
  await refuse(folder, 'stacks/0/state.json was changed')
  rmSync(state)
  await refuse(folder, 'stacks/0/state.json is missing')
  rmSync(join(folder, 'manifest.json'))
  await refuse(folder, 'manifest.json is missing')
  expect(await run('stack', 'ls', '--json', '--all')).not.toContain('dev')
})

/** Creates a webhook, notifications, a schedule and a federation rule, and exports them. */
async function exportSettings(): Promise<string> {
  await createSource()
  const rules = join(bench.root, 'rules.json')
  const rule = { on: 'push', repository: 'acme/site', branches: ['main'] }
  writeFileSync(rules, JSON.stringify([{ ...rule, stack: 'organization/shop/dev' }]))
  bench.env['ANTICHAIN_SECRET'] = 'a secret of sixteen characters'
  await run('webhook', 'create', 'main', '--rules', rules)
  await run('notification', 'create', 'chat', '--url', "https://chat.test/it's", '--all')
  await run('notification', 'create', 'team', '--url', 'https://chat.test/team', '-s', 'dev')
  await run('schedule', 'create', 'drift', '--when', 'rate(1 day)', '--all', '--project', 'shop')
  const claims = ['--claim', 'repository_owner=acme', '--claim', 'repository=acme/site']
  const issuer = ['--issuer', 'github', '--audience', 'https://antichain.test', '--role', 'read']
  await run('federation', 'create', 'ci', ...issuer, ...claims)
  const folder = join(bench.root, 'settings')
  await run('platform', 'export', folder)
  return folder
}

const readSettings = async () => ({
  schedules: JSON.parse(await run('schedule', 'ls', '--all', '--json')),
  federations: JSON.parse(await run('federation', 'ls', '--json')),
  webhooks: JSON.parse(await run('webhook', 'ls', '--json')),
  notifications: JSON.parse(await run('notification', 'ls', '--all', '--json')),
})

test('platform import stores settings without secrets, and prints the commands for the others', async () => {
  const folder = await exportSettings()
  const source = await readSettings()
  useHome('target')
  const preview = await run('platform', 'import', folder, '--preview')
  expect(preview).toContain('- schedule drift\n')
  expect(await readSettings()).toMatchObject({ schedules: [], federations: [] })
  const out = await run('platform', 'import', folder, '--yes')
  const steps = out.slice(out.indexOf('Not imported')).trim().split('\n').slice(1)
  expect(steps).toEqual([
    '- webhook main: ANTICHAIN_SECRET=… antichain webhook create main --form github --rules rules/default/main.json --api-url https://api.github.com',
    `- notification chat: ANTICHAIN_SECRET=… antichain notification create chat --all --url 'https://chat.test/it'\\''s' --format signed --events failed,drift`,
    '- notification team of organization/shop/dev: ANTICHAIN_SECRET=… antichain notification create team --stack organization/shop/dev --url https://chat.test/team --format signed --events failed,drift',
  ])
  const imported = await readSettings()
  const [schedule] = source.schedules
  expect(imported.schedules).toMatchObject([
    { name: 'drift', value: { when: schedule.value.when, stacks: schedule.value.stacks } },
  ])
  expect(imported.schedules[0].value.isPaused).toBe(true)
  const { isPaused, ...rule } = source.federations[0].value
  expect([isPaused, imported.federations[0].value]).toEqual([false, { ...rule, isPaused: true }])
  expect([imported.webhooks, imported.notifications]).toEqual([[], []])
  // The printed commands work in the folder of the export.
  for (const step of steps) {
    const [, command] = step.split(' antichain ')
    if (command === undefined) continue
    const args = command.replaceAll(`'\\''`, '\u0000').replaceAll("'", '').replaceAll('\u0000', "'")
    await run('-C', folder, ...args.split(' '))
  }
  const complete = await readSettings()
  const valuesOf = (items: readonly { readonly value: object }[]) => items.map(each => each.value)
  expect(valuesOf(complete.webhooks)).toEqual(valuesOf(source.webhooks))
  expect(valuesOf(complete.notifications)).toEqual(valuesOf(source.notifications))
  const repeatedOutput = await importWith(folder)
  expect([repeatedOutput.settings, repeatedOutput.manualSteps]).toEqual([[], []])
})

/** Changes the settings of an export, and the hash of their file. */
async function changeSettings(folder: string, change: object): Promise<void> {
  const file = join(folder, 'installation.json')
  const settings = { ...JSON.parse(readFileSync(file, 'utf8')), ...change }
  writeFileSync(file, JSON.stringify(settings))
  const manifestFile = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'))
  manifest.members['installation.json'] = await hashMember(file)
  writeFileSync(manifestFile, JSON.stringify(manifest))
}

test('an unknown kind of settings is refused before anything is imported', async () => {
  const folder = await exportSettings()
  await changeSettings(folder, { gadgets: [] })
  useHome('target')
  const { exit, err } = await bench.run('platform', 'import', folder, '--yes')
  expect([exit, err]).toEqual([1, expect.stringContaining('EXPORT_INVALID')])
  expect(err).toContain("installation.json has the unknown kind 'gadgets'")
  expect(err).toContain('the version of Antichain that wrote it')
  expect(await run('stack', 'ls', '--json', '--all')).not.toContain('dev')
  expect(await readSettings()).toMatchObject({ schedules: [], federations: [] })
})

test('the plan of an import shows what its settings grant', async () => {
  const folder = await exportSettings()
  useHome('target')
  const command =
    'antichain federation create ci --role read --issuer https://token.actions.githubusercontent.com --audience https://antichain.test --claim repository_owner=acme --claim repository=acme/site --lifetime 3600s --paused'
  const out = await run('platform', 'import', folder, '--preview')
  expect(out).toContain(`- federation rule ci: ${command}\n`)
  const { settings } = JSON.parse(await run('platform', 'import', folder, '--preview', '--json'))
  expect(settings).toContainEqual(expect.objectContaining({ name: 'ci', command }))
})

test('platform import brings the audit log once, marked, and in its order', async () => {
  const folder = await exportSettings()
  const readAudit = async () => JSON.parse(await run('audit', 'ls', '--json', '--limit', '1000'))
  const source = await readAudit()
  expect(source.length).toBeGreaterThan(5)
  const { source: name } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  expect(name).toContain(join(bench.root, 'source'))
  useHome('target')
  await run('schedule', 'create', 'own', '--when', 'rate(1 day)', '--all')
  const preview = await run('platform', 'import', folder, '--preview')
  expect(preview).toContain(
    `- audit log: ${source.length} entries of ${name}, marked as imported\n`,
  )
  expect(await readAudit()).toHaveLength(2)
  await importWith(folder)
  const log = await readAudit()
  const withoutKeys = ({ id: _id, position: _position, ...entry }: Record<string, unknown>) => entry
  expect(log.filter(({ importedFrom }: { importedFrom?: string }) => importedFrom)).toMatchObject(
    source.map((entry: Record<string, unknown>) => ({ ...withoutKeys(entry), importedFrom: name })),
  )
  const importers = log.filter(({ what }: { what: string }) => what.includes('/v1/audit/imports/'))
  expect(importers).toMatchObject([{ kind: 'answered', status: 200 }, { kind: 'asked' }])
  expect(await run('audit', 'ls', '--limit', '2')).toMatch(/WHO +REQUEST .*IMPORTED FROM/)
  // A repetition changes nothing, and a new export of the source adds the new entries only.
  expect((await importWith(folder)).audit).toMatchObject({ action: 'skip' })
  expect(await readAudit()).toEqual(log)
  useHome('source')
  await run('schedule', 'rm', 'drift', '--all')
  const newer = join(bench.root, 'newer')
  await run('platform', 'export', newer)
  useHome('target')
  await importWith(newer)
  const added = (await readAudit()).slice(0, -log.length)
  expect(added.filter(({ importedFrom }: { importedFrom?: string }) => importedFrom)).toMatchObject(
    [
      { what: 'DELETE /v1/schedules/drift', kind: 'answered' },
      { what: 'DELETE /v1/schedules/drift', kind: 'asked' },
    ],
  )
})

test('the plan of an import shows the settings of its stacks that become active', async () => {
  await createFullSource()
  await run('stack', 'approval', '--require', 'up', '--expire-hours', '5', '-s', 'dev')
  const hook = ['--name', 'open', '--url', 'https://chat.test/open', '--event', 'update_failed']
  await run('stack', 'webhook', 'new', ...hook, '-s', 'dev')
  const folder = join(bench.root, 'all')
  await run('platform', 'export', folder)
  useHome('target')
  const lines = (await run('platform', 'import', folder, '--preview')).split('\n')
  const id = 'organization/shop/dev'
  expect(lines).toContain(`- tags team=web of ${id}`)
  expect(lines).toContain(`- schedule nightly of ${id}`)
  const rule = `antichain stack approval --stack ${id} --require up --expire-hours 5`
  expect(lines).toContain(`- approval rule of ${id}: ${rule}`)
  const deliveries = 'unsigned deliveries of update_failed to https://chat.test/open'
  expect(lines.join('\n')).toMatch(new RegExp(`- notification \\w+ of ${id}: ${deliveries}\n`))
  expect((await importWith(folder)).settings).toHaveLength(4)
  expect(await run('stack', 'approval', '-s', 'dev')).toContain('need an approval: up.')
  expect(await run('notification', 'ls', '-s', 'dev')).toContain('https://chat.test/open')
})

test('no text of a hostile export acts on the shell that runs its commands', async () => {
  const folder = await exportSettings()
  const value = { form: '<x>', apiUrl: '--yes', isPaused: false }
  await changeSettings(folder, { webhooks: [{ name: 'main', value }] })
  useHome('target')
  expect(await run('platform', 'import', folder, '--preview')).toContain(
    "antichain webhook create main --form '<x>' --rules rules/default/main.json\n",
  )
  for (const name of ['main: reboot #', '--help', '..', '<x>']) {
    await changeSettings(folder, { webhooks: [{ name, value }] })
    const { exit, err } = await bench.run('platform', 'import', folder, '--preview')
    expect([exit, err]).toEqual([1, expect.stringContaining('EXPORT_INVALID')])
  }
})

/** Serves an API whose lists have the items of `lists`, by their paths. */
async function serveHostileApi(
  lists: Readonly<Record<string, readonly object[]>>,
  groups: readonly string[] = ['default'],
) {
  const identity = { name: 'admin', role: 'admin', stacks: '*', groups }
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://here').pathname
    const record = { createdAt: 1, current: '', version: 0, deployments: 0, tags: {}, commands: [] }
    const json = path === '/v1/whoami' ? identity : { ...record, items: lists[path] ?? [] }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(json))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

const stackItem = { createdAt: 1, current: '', version: 0, deployments: 0 }

test.each<[string, Readonly<Record<string, readonly object[]>>, (readonly string[])?]>([
  ['webhook', { '/v1/webhooks': [{ name: '../../../evil', value: { rules: ['evil'] } }] }],
  ['webhook', { '/v1/webhooks': [{ name: '/evil', value: { rules: ['evil'] } }] }],
  ['schedule', { '/v1/schedules': [{ name: '--yes\u001b[2J', value: {} }] }],
  ['group', {}, ['default', '../../evil']],
  ['stack', { '/v1/stacks': [{ ...stackItem, id: 'organization/../evil' }] }],
])('an export ends before it writes a %s with an invalid name', async (...row) => {
  const [, lists, groups] = row
  const api = await serveHostileApi(lists, groups)
  try {
    useHome('client')
    await run('login', api.url, '--token', `act_${'0'.repeat(16)}_${'a'.repeat(43)}`)
    for (const target of ['deep/er/export', 'all.tar.gz']) {
      const path = join(bench.root, target)
      const { exit, err } = await bench.run('platform', 'export', path)
      expect([exit, err]).toEqual([1, expect.stringContaining('API_ANSWER_UNKNOWN')])
      expect(err).toMatch(/the export ended, because a (setting|group|stack) has the invalid name/)
      expect(err).not.toContain('\u001b')
      expect(existsSync(path)).toBe(target !== 'all.tar.gz')
      expect(existsSync(join(path, 'manifest.json'))).toBe(false)
    }
    const files = readdirSync(bench.root, { recursive: true }).map(String)
    expect(files.filter(file => file.includes('evil'))).toEqual([])
  } finally {
    api.close()
  }
})
