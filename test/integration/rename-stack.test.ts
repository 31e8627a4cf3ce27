import { digestOfResources } from '../../shared/state/edits/apply-edit.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openLocal } from '../../local/local-engine.ts'
import { toBlobHash } from '../contract/open-adapter.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { deploymentIdOf, type OperationId, stackIdOf } from '../../shared/records/ids.ts'
import { lateOutcomeKeyOf } from '../../shared/records/late-outcome.ts'
import { manifestOf } from '../../shared/state/snapshot-codec.ts'

const homes: string[] = []
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

const [dev, prod] = [stackIdOf('shop', 'dev'), stackIdOf('mall', 'prod')]

async function openWithDevStack() {
  const home = mkdtempSync(join(tmpdir(), 'antichain-rename-'))
  homes.push(home)
  const local = await openLocal({ home, verbose: false })
  const { catalog, clock } = local.platform
  await catalog.createStack(dev, clock.now())
  const root = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev'
  const resources = [{ urn: root, custom: false, type: 'pulumi:pulumi:Stack' }]
  const state = { manifest: manifestOf('', ''), resources, metadata: {} }
  const hash = await local.putState(dev, state)
  await local.editState(dev, { kind: 'import', state: hash, force: false })
  return local
}

test('a renamed stack keeps its history, its versions and its state', async () => {
  const local = await openWithDevStack()
  const { catalog } = local.platform
  await local.renameStack(dev, prod)
  expect(await catalog.getStack(dev)).toBeUndefined()
  expect(await catalog.getStack(prod)).toMatchObject({ version: 2, current: '', deployments: 2 })
  const urns = (await local.exportState(prod))?.resources?.map(({ urn }) => urn)
  expect(urns).toEqual(['urn:pulumi:prod::mall::pulumi:pulumi:Stack::mall-prod'])
  const before = await local.exportState(prod, 1)
  expect(before?.resources?.[0]?.urn).toContain('dev')
  const by = process.env['USER'] ?? process.env['LOGNAME'] ?? 'someone'
  expect(await catalog.listHistory(prod, 10)).toMatchObject([
    { command: 'stack rename', by },
    { command: 'stack import', by },
  ])
  await local.renameStack(prod, dev)
  expect(await catalog.getStack(dev)).toMatchObject({ version: 3, deployments: 3 })
  await local.close()
})

test('a renamed stack keeps its program as an archive under its new name', async () => {
  const local = await openWithDevStack()
  const { requests, archives, blobs } = local.platform
  const bytes = Buffer.from('a packed program')
  await requests.putProgram(dev, await archives.put(dev, bytes))
  await local.renameStack(dev, prod)
  expect(await requests.getProgram(dev)).toBeUndefined()
  const renamed = (await requests.getProgram(prod)) ?? toBlobHash('0')
  expect(Buffer.from(await archives.get(prod, renamed))).toEqual(bytes)
  // An older version of Antichain named archives by their SHA-256.
  await requests.putProgram(prod, await blobs.put(bytes))
  await local.renameStack(prod, dev)
  const renamedBack = (await requests.getProgram(dev)) ?? toBlobHash('0')
  expect(Buffer.from(await archives.get(dev, renamedBack))).toEqual(bytes)
  await local.close()
})

test('an existing name, a missing stack and a busy stack are refused without a change', async () => {
  const local = await openWithDevStack()
  const { catalog, clock } = local.platform
  await catalog.createStack(prod, clock.now())
  await expect(local.renameStack(dev, prod)).rejects.toMatchObject({ code: 'STACK_EXISTS' })
  const missing = local.renameStack(stackIdOf('shop', 'x'), stackIdOf('shop', 'y'))
  await expect(missing).rejects.toMatchObject({ code: 'STACK_NOT_FOUND' })
  const started = await catalog.start(dev, { command: 'up', message: '', at: clock.now() })
  const holder = { host: 'laptop', pid: 7, started: 'then', who: 'ann' }
  await local.platform.control.create(started.deployment, holder)
  const busy = local.renameStack(dev, stackIdOf('shop', 'y'))
  await expect(busy).rejects.toMatchObject({
    code: 'STACK_BUSY',
    message: expect.stringMatching(
      /^the stack is currently locked by deployment 2, which began 0 s ago and is held by ann \(process 7 on laptop\)$/,
    ) as string,
  })
  expect(await catalog.getStack(dev)).toMatchObject({ version: 1 })
  await local.close()
})

test('while a stack has a late outcome, its name and its secrets manager cannot be changed', async () => {
  const local = await openWithDevStack()
  const { catalog } = local.platform
  const urn = 'urn:pulumi:dev::shop::a:b:C::x' as Urn
  const [deployment, operation] = [deploymentIdOf(dev, 1), 1 as OperationId]
  const late = { deployment, operation, attempt: 1, urn }
  const resource = { urn, custom: true, id: 'x', type: 'a:b:C' }
  await catalog.putLateOutcome(dev, { ...late, state: resource })
  const changeSecretsManager = async (type: string) => {
    const before = await local.exportState(dev)
    if (before === undefined) throw new Error('the stack has no state')
    const state = await local.putState(dev, { ...before, secrets_providers: { type } })
    return local.editState(dev, { kind: 'secrets', state, expected: digestOfResources(before) })
  }
  await expect(changeSecretsManager('passphrase')).rejects.toMatchObject({
    code: 'PENDING_STILL_RUNS',
  })
  await expect(local.renameStack(dev, prod)).rejects.toMatchObject({ code: 'PENDING_STILL_RUNS' })
  expect(await local.exportState(dev)).not.toHaveProperty('secrets_providers')
  // Other edits are allowed.
  await local.editState(dev, { kind: 'mark', urns: 'all', mark: 'protect', isSet: false })
  await catalog.removeLateOutcomes(dev, [lateOutcomeKeyOf(late)])
  await changeSecretsManager('passphrase')
  await local.renameStack(dev, prod)
  await local.close()
})
