/**
 * Pulumi's own command line as a client of the local cloud: a user has an address and a token, and
 * nothing else of the installation.
 */
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../shared/api/issue-token.ts'
import { requireSuccess, waitUntil } from '../e2e/sandbox.ts'
import type { LogNumber } from '../../shared/records/ids.ts'
import { describeWithCommands } from '../e2e/toolchains.ts'
import { type CloudBundles, createBundles } from './cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from './cloud-sandbox.ts'
import { describeWithServices } from './describe-with-services.ts'
import { listStoredBytes } from './list-stored-bytes.ts'
import { createSecretFinder } from './secret-finder.ts'
import { openServiceClient, type ServiceClient } from './service-client.ts'

const secret = 'a secret that no request contains'
const timeoutMs = 900_000

const program = `'use strict'
const pulumi = require('@pulumi/pulumi')
const { Thing } = require('./gold')
const thing = new Thing('thing', { value: new pulumi.Config().requireSecret('text') })
if (process.env.STEP === '2') new Thing('other', { value: thing.value })
exports.text = thing.value
`

interface ExportedState {
  readonly deployment: {
    readonly resources?: readonly { readonly id?: string }[]
    readonly pending_operations?: readonly { readonly resource: { readonly urn: string } }[]
  }
}

describeWithServices('service of the local cloud', ['DYNAMODB', 'SQS', 'S3', 'KMS'], settings => {
  let bundles: CloudBundles
  let sandbox: CloudSandbox
  let service: ServiceClient
  beforeAll(async () => {
    bundles = await createBundles()
  })
  afterAll(() => bundles?.remove())
  afterEach(async () => {
    service?.remove()
    await sandbox?.remove()
  }, 120_000)

  const open = async (fixture: string): Promise<void> => {
    sandbox = await createCloudSandbox(fixture, {
      aws: settings(),
      bundleOf: bundles.findBundle,
    })
    service = await openServiceClient(sandbox, fixture)
  }
  const runPulumi = async (...args: readonly string[]): Promise<string> =>
    requireSuccess(await service.pulumi(args)).out

  /** Ends the lease of the running update now, as the passing of five minutes would. */
  const endLease = async (): Promise<void> => {
    const { catalog, control, decisionLog, clock } = sandbox.control.platform
    const { current } = (await catalog.getStack(sandbox.stack)) ?? { current: '' as const }
    if (current === '') throw new Error('no update is running')
    const record = await control.read(current)
    if (record === undefined) throw new Error('the update has no control record')
    const holder = { ...record.holder, expiresAt: clock.now() }
    const { length } = await decisionLog.read(current, 0 as LogNumber, 10_000)
    await control.hold(current, holder, length as LogNumber)
  }
  /** Expects no plaintext secret in the tables, the bucket and the queues. */
  const expectNoStoredSecret = async (): Promise<void> => {
    const stored = await listStoredBytes(settings(), sandbox.cloud.services)
    const placesOf = (text: string): readonly string[] =>
      stored
        .filter(({ bytes }) => createSecretFinder({ text }).findIn(bytes).size > 0)
        .map(({ location }) => location)
    expect(placesOf(secret)).toEqual([])
    // The search is able to find a text: the URNs of the resources are in plaintext.
    expect(placesOf('gold:index:Thing::thing')).not.toEqual([])
  }
  /** Creates a schedule of the stack by our own API. */
  const createSchedule = async (): Promise<void> => {
    const { token } = await createToken(sandbox.control.platform, { name: 'api', role: 'admin' })
    const response = await fetch(`${sandbox.cloud.apiUrl}/v1/stacks/small/dev/schedules/nightly`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ when: 'rate(1 day)', operation: { kind: 'refresh' } }),
    })
    expect(response.status).toBe(200)
  }
  const readVersion = async (version: number): Promise<ExportedState> =>
    JSON.parse(await runPulumi('stack', 'export', '--version', String(version))) as ExportedState
  /** Returns the ids of objects that a state has neither as resources nor as pending creates. */
  const findLostObjects = ({ deployment }: ExportedState): readonly string[] => {
    const knownIds = new Set(deployment.resources?.map(({ id }) => id))
    const pendingNames = (deployment.pending_operations ?? []).map(
      ({ resource }) => resource.urn.split('::').at(-1) ?? '',
    )
    return sandbox
      .listObjects()
      .map(({ id }) => id)
      .filter(id => !knownIds.has(id) && !pendingNames.some(name => id.startsWith(`${name}-`)))
  }

  describeWithCommands("Pulumi's own command line", [['go', 'version']], () => {
    test(
      'both engines use one stack in turn, with one lock, one history and one key',
      async () => {
        await open('small')
        const { sandbox: client } = service
        writeFileSync(join(client.program, 'index.js'), program)
        // The API of our own command line refuses this client, and names the address for it.
        const refused = await fetch(`${sandbox.cloud.apiUrl}/api/user`)
        expect([refused.status, await refused.text()]).toEqual([
          404,
          expect.stringContaining(`pulumi login ${sandbox.cloud.serviceUrl}`),
        ])
        await runPulumi('login', sandbox.cloud.serviceUrl)
        expect((await runPulumi('whoami')).trim()).toBe('laptop')
        await runPulumi('stack', 'init', 'dev')
        await runPulumi('config', 'set', '--secret', 'text', secret)
        await runPulumi('up', '--yes')
        expect(sandbox.listObjects()).toHaveLength(1)
        await runPulumi('preview', '--expect-no-changes')
        await runPulumi('up', '--yes', '--skip-preview', '--expect-no-changes')

        // Our engine runs the same program in functions, and opens the secrets of the service.
        writeFileSync(join(sandbox.program, 'program.js'), program)
        copyFileSync(
          join(client.program, 'Pulumi.dev.yaml'),
          join(sandbox.program, 'Pulumi.dev.yaml'),
        )
        const end = await sandbox.deploy('up', await sandbox.upload({ STEP: '2' }))
        expect(end).toMatchObject({ result: 'succeeded', changes: { same: 2, create: 1 } })
        const noChanges = ['up', '--yes', '--skip-preview', '--expect-no-changes']
        requireSuccess(await service.pulumi(noChanges, { STEP: '2' }))
        const exported = await runPulumi('stack', 'export')
        const published = await sandbox.control.readSnapshot(sandbox.stack)
        expect(JSON.parse(exported)).toEqual(JSON.parse(published))
        expect(exported).not.toContain(secret)
        expect((await runPulumi('stack', 'output', 'text', '--show-secrets')).trim()).toBe(secret)
        const history = JSON.parse(await runPulumi('stack', 'history', '--json')) as object[]
        expect(history.map(entry => Reflect.get(entry, 'result') as unknown)).toEqual(
          Array(4).fill('succeeded'),
        )
        await expectNoStoredSecret()
        // A rename keeps the key, and places the calls of schedules for the new name.
        await createSchedule()
        await runPulumi('stack', 'rename', 'prod')
        expect((await runPulumi('stack', 'output', 'text', '--show-secrets')).trim()).toBe(secret)
        await runPulumi('destroy', '--yes', '--skip-preview')
        expect(sandbox.listObjects()).toEqual([])
        await expectNoStoredSecret()
        await runPulumi('stack', 'rm', '--yes', 'prod')
        expect(sandbox.readLog()).not.toContain(secret)
      },
      timeoutMs,
    )

    test(
      'a killed client holds the stack until its lease ends, and no object is lost',
      async () => {
        await open('many')
        await runPulumi('stack', 'init', 'dev')
        const up = service.startPulumi(['up', '--yes', '--skip-preview'])
        await waitUntil(() => sandbox.listObjects().length >= 15, { condition: '15 objects' })
        up.kill('SIGKILL', 'group')
        await up.done
        const busy = await service.pulumi(['up', '--yes', '--skip-preview'])
        expect(busy.err + busy.out).toMatch(/began \d+ s ago and is held by laptop: pulumi up/)
        await endLease()
        // The refresh starts from the state that contains every acknowledged journal entry.
        await runPulumi('refresh', '--yes', '--skip-preview', '--clear-pending-creates')
        const history = await sandbox.control.platform.catalog.listHistory(sandbox.stack, 9)
        // A refresh with --clear-pending-creates first imports the state without them.
        expect(history.map(({ command, result }) => `${command} ${result}`)).toEqual([
          'refresh succeeded',
          'stack import succeeded',
          'up interrupted',
        ])
        expect(findLostObjects(await readVersion(1))).toEqual([])
        await runPulumi('up', '--yes', '--skip-preview')
        await runPulumi('up', '--yes', '--skip-preview', '--expect-no-changes')
      },
      timeoutMs,
    )

    test(
      'the regular check of compaction closes the update of a client that never returns',
      async () => {
        await open('small')
        await runPulumi('stack', 'init', 'dev')
        // With GOLD_ASKED, the provider also records requests that it has not answered.
        const up = service.startPulumi(['up', '--yes', '--skip-preview'], {
          GOLD_ASKED: '1',
          DELAY: '8000',
        })
        const isCreating = (): boolean =>
          sandbox.listChanges().some(({ call }) => call === 'create')
        await waitUntil(isCreating, { condition: 'a create', limitMs: 60_000 })
        up.kill('SIGKILL', 'group')
        await up.done
        await endLease()
        await sandbox.cloud.invoke('compaction', { kind: 'tidy' })
        const { catalog } = sandbox.control.platform
        const readResult = async () => (await catalog.listHistory(sandbox.stack, 1))[0]?.result
        await waitUntil(async () => (await readResult()) !== undefined, { condition: 'a close' })
        expect(await readResult()).toBe('interrupted')
        const { deployment } = await readVersion(1)
        // The create without an end is pending.
        expect(deployment.pending_operations).toHaveLength(1)
      },
      timeoutMs,
    )

    test(
      'an update continues when execution environments of the service die',
      async () => {
        await open('many')
        await runPulumi('stack', 'init', 'dev')
        const up = service.startPulumi(['up', '--yes', '--skip-preview'])
        let kills = 0
        let isOver = false
        void up.done.then(() => {
          isOver = true
        })
        for (const objectCount of [5, 15, 25, 35]) {
          await waitUntil(() => isOver || sandbox.listObjects().length >= objectCount, {
            condition: `${objectCount} objects`,
          })
          for (const { pid } of sandbox.cloud.listEnvironments('service'))
            if (pid !== undefined) {
              process.kill(pid, 'SIGKILL')
              kills += 1
            }
        }
        requireSuccess(await up.done)
        expect(kills).toBeGreaterThan(1)
        expect(sandbox.listObjects()).toHaveLength(50)
        await runPulumi('up', '--yes', '--skip-preview', '--expect-no-changes')
      },
      timeoutMs,
    )
  })
})
