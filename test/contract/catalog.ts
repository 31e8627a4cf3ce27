import { describe, expect, test } from 'vitest'
import type { CatalogPort, ClaimBasis } from '../../shared/ports/catalog.ts'
import type { BlobHash, DeploymentId, StackId } from '../../shared/records/ids.ts'
import { deploymentIdOf, stackIdOf } from '../../shared/records/ids.ts'
import { lateOutcomeKeyOf, type LateOutcome } from '../../shared/records/late-outcome.ts'
import type { Urn } from '../../shared/names/urn.ts'
import {
  type OpenAdapter,
  toBlobHash,
  toEpochMs,
  createStackId,
  toOperationId,
  withAdapter,
} from './open-adapter.ts'

const startInput = {
  command: 'up',
  message: 'first',
  at: toEpochMs(100),
} as const
const end = { at: toEpochMs(200), result: 'succeeded', changes: { create: 2 }, version: 1 } as const

/** Tests stacks, deployments and published snapshots. */
export function defineCatalogContract(
  name: string,
  open: OpenAdapter<{ readonly catalog: CatalogPort }>,
): void {
  describe(`catalog: ${name}`, () => {
    let catalog: CatalogPort
    withAdapter(open, adapter => {
      catalog = adapter.catalog
    })

    const createStack = async (): Promise<StackId> => {
      const id = createStackId()
      await catalog.createStack(id, toEpochMs(1))
      return id
    }

    const readClaimBasis = async (id: StackId): Promise<ClaimBasis> => {
      const { version = 0, targeted } = (await catalog.getStack(id)) ?? {}
      return { version, ...(targeted === undefined ? {} : { targeted }) }
    }

    test('a stack is created once and read as it was created', async () => {
      const id = createStackId()
      expect(await catalog.getStack(id)).toBeUndefined()
      expect(await catalog.createStack(id, toEpochMs(5))).toBe(true)
      expect(await catalog.createStack(id, toEpochMs(5))).toBe(false)
      const created = { id, createdAt: 5, current: '', version: 0, snapshot: '', deployments: 0 }
      expect(await catalog.getStack(id)).toEqual(created)
      const { stacks, unreadable } = await catalog.listStacks('contract')
      expect(stacks).toContainEqual(created)
      expect(unreadable).toEqual([])
    })

    test('stacks are listed by project', async () => {
      const id = stackIdOf(`project-${createStackId().split('/')[2]}`, 'dev')
      await catalog.createStack(id, toEpochMs(5))
      const listed = await catalog.listStacks(id.split('/')[1])
      expect(listed.stacks.map(stack => stack.id)).toEqual([id])
      expect((await catalog.listStacks('no-such-project')).stacks).toEqual([])
      expect((await catalog.listStacks()).stacks.map(stack => stack.id)).toContain(id)
    })

    test('deployments are numbered, and only one runs at a time', async () => {
      const id = await createStack()
      const first = deploymentIdOf(id, 1)
      expect(await catalog.start(id, startInput)).toEqual({ kind: 'started', deployment: first })
      expect(await catalog.start(id, startInput)).toEqual({ kind: 'busy', deployment: first })
      expect((await catalog.getStack(id))?.current).toBe(first)
      await catalog.release(first, end)
      expect(await catalog.start(id, startInput)).toEqual({
        kind: 'started',
        deployment: deploymentIdOf(id, 2),
      })
    })

    test('targeted deployments run at the same time, and block an untargeted one until their end', async () => {
      const id = await createStack()
      const [a, b, c] = [toBlobHash('a'), toBlobHash('b'), toBlobHash('c')]
      const startTargeted = async (claim: BlobHash): ReturnType<CatalogPort['startTargeted']> =>
        catalog.startTargeted(id, startInput, { claim, expected: await readClaimBasis(id) })
      const [first, second, third] = [1, 2, 3].map(number => deploymentIdOf(id, number)) as [
        DeploymentId,
        DeploymentId,
        DeploymentId,
      ]
      const staleBasis = await readClaimBasis(id)
      expect(await startTargeted(a)).toEqual({ kind: 'started', deployment: first })
      expect(
        await catalog.startTargeted(id, startInput, { claim: b, expected: staleBasis }),
      ).toEqual({
        kind: 'changed',
      })
      expect(await startTargeted(b)).toEqual({ kind: 'started', deployment: second })
      expect(await catalog.start(id, startInput)).toEqual({ kind: 'busy', deployment: first })
      expect(await catalog.removeStack(id)).toBe(false)
      const currentBasis = await readClaimBasis(id)
      expect(await catalog.extendClaim(second, c, staleBasis)).toBe(false)
      expect(await catalog.extendClaim(third, c, currentBasis)).toBe(false)
      expect(await catalog.extendClaim(second, c, currentBasis)).toBe(true)
      expect(await catalog.extendClaim(second, c, currentBasis)).toBe(true)
      await catalog.release(first, end)
      await catalog.release(first, end)
      expect(await catalog.getStack(id)).toMatchObject({
        current: second,
        targeted: [{ deployment: second, claim: c }],
      })
      await catalog.publish(id, 0, a)
      expect(await catalog.extendClaim(second, a, { ...currentBasis, version: 0 })).toBe(false)
      await catalog.release(second, end)
      const released = await catalog.getStack(id)
      expect(released).toMatchObject({ current: '', deployments: 2 })
      expect(released).not.toHaveProperty('targeted')
      expect(await catalog.listHistory(id, 9)).toMatchObject([
        { deployment: second, result: 'succeeded' },
        { deployment: first, result: 'succeeded' },
      ])
      expect(await catalog.start(id, startInput)).toEqual({ kind: 'started', deployment: third })
      expect(await startTargeted(a)).toEqual({ kind: 'busy', deployment: third })
    })

    test('of many concurrent targeted starts against one record one succeeds', async () => {
      const id = await createStack()
      const expected = await readClaimBasis(id)
      const answers = await Promise.all(
        ['a', 'b', 'c', 'd'].map(letter =>
          catalog.startTargeted(id, startInput, { claim: toBlobHash(letter), expected }),
        ),
      )
      expect(answers.map(({ kind }) => kind).toSorted()).toEqual([
        ...['changed', 'changed', 'changed'],
        'started',
      ])
    })

    test('durations of operations are stored per stack and kind, the latest of each', async () => {
      const [id, other] = [await createStack(), await createStack()]
      await catalog.recordSlowOperation(id, 'create t:m:T', 20_000)
      await catalog.recordSlowOperation(id, 'delete t:m:T', 9_000.4)
      await catalog.recordSlowOperation(id, 'create t:m:T', 12_000)
      await catalog.recordSlowOperation(other, 'create t:m:T', 1)
      expect(await catalog.listSlowOperations(id)).toEqual(
        new Map([
          ['create t:m:T', 12_000],
          ['delete t:m:T', 9_000],
        ]),
      )
    })

    test('the inbox stores late outcomes once per attempt until they are taken', async () => {
      const [id, other] = [await createStack(), await createStack()]
      const lateOutcomeOf = createLateOutcomeFactory(id)
      await catalog.putLateOutcome(id, lateOutcomeOf(1))
      await catalog.putLateOutcome(id, lateOutcomeOf(2))
      await catalog.putLateOutcome(id, {
        ...lateOutcomeOf(1),
        state: { ...lateOutcomeOf(1).state, id: 'another' },
      })
      expect(await catalog.listLateOutcomes(id, 10)).toEqual([lateOutcomeOf(1), lateOutcomeOf(2)])
      expect(await catalog.listLateOutcomes(id, 1)).toEqual([lateOutcomeOf(1)])
      expect(await catalog.listLateOutcomes(other, 10)).toEqual([])
      const takenKeys = [lateOutcomeKeyOf(lateOutcomeOf(1))]
      await catalog.removeLateOutcomes(other, takenKeys)
      await catalog.removeLateOutcomes(id, takenKeys)
      await catalog.removeLateOutcomes(id, takenKeys)
      expect(await catalog.listLateOutcomes(id, 10)).toEqual([lateOutcomeOf(2)])
    })

    test('an outcome that was taken stays taken, even if its first put comes afterwards', async () => {
      const id = await createStack()
      const lateOutcomeOf = createLateOutcomeFactory(id)
      await catalog.putLateOutcome(id, lateOutcomeOf(1))
      await catalog.removeLateOutcomes(id, [
        lateOutcomeKeyOf(lateOutcomeOf(1)),
        lateOutcomeKeyOf(lateOutcomeOf(2)),
      ])
      for (const attempt of [1, 2, 3]) await catalog.putLateOutcome(id, lateOutcomeOf(attempt))
      expect(await catalog.listLateOutcomes(id, 10)).toEqual([lateOutcomeOf(3)])
    })

    test('of many concurrent starts one succeeds', async () => {
      const id = await createStack()
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => catalog.start(id, startInput)),
      )
      expect(answers.filter(answer => answer.kind === 'started')).toHaveLength(1)
      expect(new Set(answers.map(answer => answer.deployment)).size).toBe(1)
    })

    test('a missing stack can neither start nor publish', async () => {
      const notFound = { code: 'STACK_NOT_FOUND' }
      await expect(catalog.start(createStackId(), startInput)).rejects.toMatchObject(notFound)
      await expect(catalog.publish(createStackId(), 0, toBlobHash('a'))).rejects.toMatchObject(
        notFound,
      )
    })

    test('a snapshot is published with the version that it was decided against', async () => {
      const id = await createStack()
      const [a, b] = [toBlobHash('a'), toBlobHash('b')]
      expect(await catalog.publish(id, 0, a)).toMatchObject({ version: 1 })
      expect(await catalog.publish(id, 0, b)).toEqual({ kind: 'conflict', version: 1 })
      expect(await catalog.publish(id, 2, b)).toEqual({ kind: 'conflict', version: 1 })
      expect(await catalog.getStack(id)).toMatchObject({ version: 1, snapshot: a })
      await catalog.publish(id, 1, b)
      expect(await catalog.listVersions(id, 10)).toEqual([
        { version: 2, snapshot: b },
        { version: 1, snapshot: a },
      ])
      expect(await catalog.listVersions(id, 1)).toHaveLength(1)
      expect(await catalog.listVersions(id, 10, 2)).toEqual([{ version: 1, snapshot: a }])
      expect(await catalog.listVersions(id, 1, 9)).toEqual([{ version: 2, snapshot: b }])
      expect([await catalog.listVersions(id, 9, 1), await catalog.listVersions(id, 9, 0)]).toEqual([
        [],
        [],
      ])
    })

    test('a repeated publish finds its own version', async () => {
      const id = await createStack()
      await catalog.publish(id, 0, toBlobHash('a'))
      const repeatedPublish = await catalog.publish(id, 0, toBlobHash('a'))
      expect(repeatedPublish).toEqual({ kind: 'already-published', version: 1 })
    })

    test('a late close does not overwrite a newer snapshot', async () => {
      const id = await createStack()
      const [a, b] = [toBlobHash('a'), toBlobHash('b')]
      await catalog.publish(id, 0, a)
      await catalog.publish(id, 1, b)
      expect((await catalog.publish(id, 0, a)).kind).toBe('conflict')
      expect(await catalog.getStack(id)).toMatchObject({ version: 2, snapshot: b })
      expect(await catalog.publish(id, 2, b)).toMatchObject({ version: 3 })
    })

    test('a publication of a targeted deployment is recorded until its release', async () => {
      const id = await createStack()
      const [a, b, c] = [toBlobHash('a'), toBlobHash('b'), toBlobHash('c')]
      const startTargeted = async (claim: BlobHash): Promise<DeploymentId> => {
        const expected = await readClaimBasis(id)
        const started = await catalog.startTargeted(id, startInput, { claim, expected })
        if (started.kind !== 'started') throw new Error(`the start was ${started.kind}`)
        return started.deployment
      }
      const [first, second] = [await startTargeted(a), await startTargeted(b)]
      await catalog.publish(id, 0, b, second)
      await catalog.publish(id, 1, c)
      const published = { version: 1, snapshot: b }
      expect((await catalog.getStack(id))?.targeted).toMatchObject([
        { deployment: first, claim: a },
        { deployment: second, claim: b, published },
      ])
      expect((await catalog.publish(id, 1, c, second)).kind).toBe('already-published')
      expect(await catalog.publish(id, 0, a, first)).toEqual({ kind: 'conflict', version: 2 })
      await catalog.release(second, end)
      const [open, ...others] = (await catalog.getStack(id))?.targeted ?? []
      expect([open?.deployment, open?.published, others]).toEqual([first, undefined, []])
    })

    test('of two publishes against one version one succeeds', async () => {
      const id = await createStack()
      const answers = await Promise.all(
        ['a', 'b', 'c'].map(digit => catalog.publish(id, 0, toBlobHash(digit))),
      )
      expect(answers.filter(answer => answer.kind === 'conflict')).toHaveLength(2)
      expect(await catalog.listVersions(id, 10)).toHaveLength(1)
    })

    test('the history contains the end of each deployment, newest first', async () => {
      const id = await createStack()
      const { deployment } = await catalog.start(id, startInput)
      const openLine = { deployment, command: 'up', message: 'first', startedAt: 100 }
      // The entry of a deployment that an older version started has no requester.
      expect(await catalog.listHistory(id, 10)).toEqual([openLine])
      await catalog.release(deployment, end)
      const { at: endedAt, result, changes, version } = end
      const endedLine = { ...openLine, endedAt, result, changes, version }
      expect(await catalog.listHistory(id, 10)).toEqual([endedLine])
      const environment = { 'exec.kind': 'cli' }
      const config = { 'shop:token': { secure: 'v1:a' } }
      const by = 'ci (API)'
      const approval = { by: 'ada', at: toEpochMs(90), note: 'checked' }
      const fields = { by, approval, environment, config }
      await catalog.start(id, { ...startInput, message: 'second', ...fields })
      expect((await catalog.listHistory(id, 1))[0]).toMatchObject(fields)
      expect((await catalog.listHistory(id, 10)).map(line => line.message)).toEqual([
        'second',
        'first',
      ])
      expect(await catalog.listHistory(id, 1)).toHaveLength(1)
    })

    test('the history bounds the name of a requester, also of a targeted deployment', async () => {
      const id = await createStack()
      const expected = await readClaimBasis(id)
      const claim = { claim: toBlobHash('a'), expected }
      await catalog.startTargeted(id, { ...startInput, by: 'x'.repeat(5_000) }, claim)
      expect((await catalog.listHistory(id, 1))[0]?.by).toBe('x'.repeat(300))
    })

    test('the history is listed below a deployment number, also one line alone', async () => {
      const id = await createStack()
      for (const message of ['first', 'second', 'third']) {
        const { deployment } = await catalog.start(id, { ...startInput, message })
        await catalog.release(deployment, end)
      }
      const listMessages = async (limit: number, before: number): Promise<readonly string[]> =>
        (await catalog.listHistory(id, limit, before)).map(({ message }) => message)
      expect(await listMessages(10, 3)).toEqual(['second', 'first'])
      expect(await listMessages(1, 3)).toEqual(['second'])
      expect(await listMessages(10, 9)).toEqual(['third', 'second', 'first'])
      expect([await listMessages(10, 1), await listMessages(10, 0)]).toEqual([[], []])
    })

    test('a release can be repeated and never ends a later deployment', async () => {
      const id = await createStack()
      const first = await catalog.start(id, startInput)
      await catalog.release(first.deployment, end)
      const second = await catalog.start(id, startInput)
      await catalog.release(first.deployment, { ...end, result: 'failed' })
      expect((await catalog.getStack(id))?.current).toBe(second.deployment)
      expect((await catalog.listHistory(id, 10))[1]?.result).toBe('succeeded')
    })

    test('a stack is removed with its history unless a deployment runs', async () => {
      const id = await createStack()
      const { deployment } = await catalog.start(id, startInput)
      expect(await catalog.removeStack(id)).toBe(false)
      await catalog.release(deployment, end)
      await catalog.publish(id, 0, toBlobHash('a'))
      const { createdAt = toEpochMs(0) } = (await catalog.getStack(id)) ?? {}
      for (const changed of [{ deployments: 2 }, { createdAt: toEpochMs(createdAt + 1) }])
        expect(await catalog.removeStack(id, { deployments: 1, createdAt, ...changed })).toBe(false)
      expect(await catalog.getStack(id)).toBeDefined()
      expect(await catalog.removeStack(id, { deployments: 1, createdAt })).toBe(true)
      expect(await catalog.getStack(id)).toBeUndefined()
      expect(await catalog.listHistory(id, 10)).toEqual([])
      expect(await catalog.listVersions(id, 10)).toEqual([])
    })

    test('late outcomes of a removed stack are not those of a later stack with its id', async () => {
      const id = await createStack()
      const lateOutcomeOf = createLateOutcomeFactory(id)
      const { deployment } = await catalog.start(id, startInput)
      await catalog.putLateOutcome(id, { ...lateOutcomeOf(1), deployment })
      await catalog.release(deployment, end)
      expect(await catalog.listLateOutcomes(id, 10)).toHaveLength(1)
      await catalog.removeStack(id)
      await catalog.createStack(id, toEpochMs(9))
      expect(await catalog.listLateOutcomes(id, 10)).toEqual([])
      const second = await catalog.start(id, startInput)
      const late = { ...lateOutcomeOf(2), deployment: second.deployment }
      await catalog.putLateOutcome(id, late)
      expect(await catalog.listLateOutcomes(id, 10)).toEqual([late])
    })

    test('a stack that is created again reuses no deployment id', async () => {
      const id = await createStack()
      await catalog.release((await catalog.start(id, startInput)).deployment, end)
      await catalog.removeStack(id)
      expect(await catalog.createStack(id, toEpochMs(9))).toBe(true)
      expect(await catalog.getStack(id)).toMatchObject({ createdAt: 9, version: 0, snapshot: '' })
      expect((await catalog.start(id, startInput)).deployment).toBe(deploymentIdOf(id, 2))
    })
  })
}

/** Returns a function that creates the late outcome of an attempt of one operation. */
export function createLateOutcomeFactory(id: StackId): (attempt: number) => LateOutcome {
  return attempt => ({
    deployment: deploymentIdOf(id, 1),
    operation: toOperationId(7),
    attempt,
    urn: `urn:pulumi:dev::p::t:m:T::${attempt}` as Urn,
    state: { urn: 'u', custom: true, type: 't:m:T', id: `made-${attempt}` },
  })
}
