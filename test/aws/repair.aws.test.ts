/**
 * Repairs of a stack in the local cloud by a user who has an address and a token, and nothing else
 * of the installation. The tests share one stack, and each leaves it deployed.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Role } from '../../shared/api/authorization.ts'
import { createToken } from '../../shared/api/issue-token.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { envelopeOf } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import {
  type CommandOutput,
  createSandbox,
  requireSuccess,
  type Sandbox,
  waitUntil,
} from '../e2e/sandbox.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'

const urnOf = (name: string): string => `urn:pulumi:dev::many::gold:index:Thing::${name}`

describeWithServices('repairs by the API', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  let client: Sandbox

  beforeAll(async () => {
    bundles = await createBundles()
    sandbox = await createCloudSandbox('many', { aws: settings(), bundleOf: bundles.findBundle })
    client = createSandbox(undefined, { sdk: false })
    writeFileSync(
      join(sandbox.program, 'variables.json'),
      JSON.stringify({ COUNT: '3', DELAY: '0' }),
    )
    await login('deploy', ['many/dev'])
    requireSuccess(await run('stack', 'select', 'dev'))
  }, 120_000)
  afterAll(async () => {
    client?.remove()
    await sandbox?.remove()
    bundles?.remove()
  }, 120_000)

  const run = (...args: readonly string[]): Promise<CommandOutput> =>
    client.run(['-C', sandbox.program, ...args])
  const login = async (role: Role, stacks: string[]): Promise<void> => {
    const { token } = await createToken(sandbox.control.platform, { name: role, role, stacks })
    const env = { ANTICHAIN_TOKEN: token }
    requireSuccess(await client.run(['login', sandbox.cloud.apiUrl], { env }))
  }
  const setFaults = (faults: object): void =>
    writeFileSync(join(sandbox.cloudFolder, 'faults.json'), JSON.stringify(faults))
  const upArgs = ['up', '--yes', '--skip-preview'] as const
  const requireUnchanged = async (): Promise<void> => {
    requireSuccess(await run(...upArgs, '--expect-no-changes'))
    expect(sandbox.listObjects().map(({ id }) => id)).toEqual([
      'thing-0-1',
      'thing-1-1',
      'thing-2-1',
    ])
  }
  const readState = async (): Promise<StoredDeployment> => {
    const { platform } = sandbox.control
    const record = await platform.catalog.getStack(sandbox.stack)
    return readSnapshotBlob(platform.blobs, record?.snapshot ?? '')
  }
  /** Publishes a state that no command would publish. */
  const publish = async (state: StoredDeployment): Promise<void> => {
    const { blobs, catalog } = sandbox.control.platform
    const record = await catalog.getStack(sandbox.stack)
    const blob = await blobs.put(Buffer.from(JSON.stringify(await envelopeOf(state))))
    await catalog.publish(sandbox.stack, record?.version ?? 0, blob)
  }

  test('an interrupted create is resolved by the id of its object', async () => {
    setFaults({ 'lost-create:thing-0': 1 })
    const running = client.start(['-C', sandbox.program, ...upArgs])
    await waitUntil(() => sandbox.listObjects().length >= 3, { condition: 'three objects' })
    const busy = await run('state', 'protect', '--all')
    expect([busy.exit > 0, busy.err]).toEqual([true, expect.stringContaining('[STACK_BUSY]')])
    requireSuccess(await run('cancel', '--force', '--yes'))
    await running.done
    setFaults({})
    const listed = requireSuccess(await run('state', 'pending', 'ls', '--json'))
    expect(JSON.parse(listed.out)).toContainEqual({ urn: urnOf('thing-0'), type: 'creating' })
    const wrong = await run('state', 'pending', 'import', urnOf('thing-9'), 'x', '--yes')
    expect(wrong.err).toContain('[PENDING_NOT_FOUND]')
    const args = ['state', 'pending', 'import', urnOf('thing-0'), 'thing-0-1', '--yes'] as const
    requireSuccess(await run(...args))
    requireSuccess(await run(...upArgs))
    await requireUnchanged()
  }, 240_000)

  test('a pending create without an object is cleared', async () => {
    const state = await readState()
    const resource = { urn: urnOf('ghost'), custom: true, type: 'gold:index:Thing' }
    await publish({ ...state, pending_operations: [{ resource, type: 'creating' }] })
    requireSuccess(await run(...upArgs))
    expect((await readState()).pending_operations).toHaveLength(1)
    requireSuccess(await run('state', 'pending', 'clear', urnOf('ghost'), '--yes'))
    expect((await readState()).pending_operations).toBeUndefined()
    await requireUnchanged()
  }, 120_000)

  test('an invalid state is repaired', async () => {
    const { resources = [], ...fields } = await readState()
    await publish({ ...fields, resources: resources.toReversed() })
    expect((await run(...upArgs)).err).toContain('[STATE_INTEGRITY]')
    requireSuccess(await run('state', 'repair', '--yes'))
    await requireUnchanged()
  }, 120_000)

  test('a deleted entry of the state is imported again, and its code is printed', async () => {
    requireSuccess(await run('state', 'protect', urnOf('thing-2')))
    const refused = await run('state', 'delete', urnOf('thing-2'))
    expect(refused.err).toContain('[STATE_RESOURCE_PROTECTED]')
    const deleted = requireSuccess(await run('state', 'delete', urnOf('thing-2'), '--force'))
    expect(deleted.err).toContain(`warning: deleting protected resource ${urnOf('thing-2')}`)
    const args = ['import', 'gold:index:Thing', 'thing-2', 'thing-2-1', '--protect=false'] as const
    const imported = requireSuccess(await run(...args, '--yes'))
    expect(imported.out).toMatch(/new gold\.Thing\("thing-2"/)
    await requireUnchanged()
    const [record] = await sandbox.control.platform.catalog.listHistory(sandbox.stack, 1, 1_000)
    expect(record).toMatchObject({ command: 'up' })
  }, 240_000)

  test('a stack imports its own exported state, and refuses that of another stack', async () => {
    const path = join(client.program, 'state.json')
    requireSuccess(await run('stack', 'export', '--show-secrets', '--file', path))
    requireSuccess(await run('state', 'delete', '--all', '--force'))
    expect((await readState()).resources ?? []).toEqual([])
    const foreignPath = join(client.program, 'foreign.json')
    const text = readFileSync(path, 'utf8')
    writeFileSync(foreignPath, text.replaceAll('pulumi:dev::', 'pulumi:prod::'))
    const foreign = await run('stack', 'import', '--file', foreignPath)
    expect(foreign.err).toContain('[STATE_FOREIGN]')
    requireSuccess(await run('stack', 'import', '--file', path))
    await requireUnchanged()
  }, 120_000)

  test('a renamed stack continues under its new name', async () => {
    const refused = await run('stack', 'rename', 'prod')
    expect(refused.err).toContain('[API_FORBIDDEN]')
    await login('deploy', ['many/*'])
    requireSuccess(await run('stack', 'rename', 'prod'))
    requireSuccess(await run(...upArgs, '--expect-no-changes'))
    const exported = requireSuccess(await run('stack', 'export')).out
    expect(exported).toContain(urnOf('thing-0').replace(':dev:', ':prod:'))
    expect((await run('stack', 'export', '-s', 'dev')).err).toContain('[STACK_NOT_FOUND]')
    requireSuccess(await run('stack', 'rename', 'dev'))
    await requireUnchanged()
  }, 240_000)

  test('an edit without permission is refused, and every edit is in the audit log', async () => {
    await login('preview', ['many/dev'])
    expect((await run('state', 'repair')).err).toContain('already valid')
    expect((await run('state', 'protect', '--all')).err).toContain('[API_FORBIDDEN]')
    await login('deploy', ['many/other'])
    expect((await run('state', 'protect', '--all')).err).toContain('[API_FORBIDDEN]')
    const audited = await sandbox.control.platform.audit.read(0, 1_000)
    const edits = audited.filter(({ what }) => what === 'POST /v1/stacks/many/dev/edits')
    expect(edits.filter(({ status }) => status === 202).length).toBeGreaterThan(5)
    expect(edits.filter(({ status }) => status === 403)).toHaveLength(1)
  }, 120_000)
})
