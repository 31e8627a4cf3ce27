import { describe, expect, test } from 'vitest'
import type { DocumentsPort } from '../../shared/ports/documents.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type DeploymentId, deploymentIdOf, type StackId } from '../../shared/records/ids.ts'
import type { LateOutcome } from '../../shared/records/late-outcome.ts'
import type { EditRequest } from '../../shared/records/stack-request.ts'
import { createLateOutcomeFactory } from './catalog.ts'
import {
  createStackId,
  type OpenAdapter,
  toBlobHash,
  toEpochMs,
  withAdapter,
} from './open-adapter.ts'

type Ports = Pick<Platform, 'renames' | 'catalog' | 'requests' | 'retention'> & {
  readonly documents: DocumentsPort
}

const [first, second] = [toBlobHash('a'), toBlobHash('b')]
const at = toEpochMs(9)

/** Tests renames of stacks: a stack has one id, and all of its contents are under that id. */
export function defineStackRenamesContract(name: string, open: OpenAdapter<Ports>): void {
  describe(`renames: ${name}`, () => {
    let ports: Ports
    withAdapter(open, adapter => {
      ports = adapter
    })

    /** Creates a stack with one deployment and one version. */
    const createDeployed = async (): Promise<StackId> => {
      const { catalog } = ports
      const id = createStackId()
      await catalog.createStack(id, toEpochMs(1))
      const startInput = {
        command: 'up',
        message: '',
        at: toEpochMs(2),
      } as const
      const { deployment } = await catalog.start(id, startInput)
      await catalog.publish(id, 0, first)
      const end = { at: toEpochMs(3), result: 'succeeded', changes: {}, version: 1 } as const
      await catalog.release(deployment, end)
      return id
    }
    const createRequest = (stack: StackId, key: string, to: StackId): EditRequest => ({
      stack,
      key,
      at: toEpochMs(4),
      by: 'a test',
      edit: { kind: 'rename stack', to, placements: {} },
    })
    const input = { expectedVersion: 1, snapshot: second, program: '', at } as const

    test('a renamed stack has its contents under the new id only', async () => {
      const { renames, catalog, requests, documents } = ports
      const [id, to] = [await createDeployed(), createStackId()]
      await requests.putProgram(id, first)
      const kinds = ['notification', 'delivery-history'] as const
      for (const kind of kinds) await documents.put({ kind, scope: id, name: 'ops' }, { a: 1 }, 0)
      await catalog.recordSlowOperation(id, 'k', 7)
      const program = toBlobHash('c')
      expect(await renames.rename(id, to, { ...input, program, by: 'ada' })).toBe('renamed')
      expect(await catalog.getStack(id)).toBeUndefined()
      expect(await catalog.getStack(to)).toEqual({
        id: to,
        createdAt: 1,
        current: '',
        version: 2,
        snapshot: second,
        deployments: 2,
      })
      expect(await catalog.listHistory(to, 10)).toMatchObject([
        {
          deployment: deploymentIdOf(to, 2),
          command: 'stack rename',
          message: `was ${id}`,
          by: 'ada',
          startedAt: at,
          endedAt: at,
          result: 'succeeded',
          version: 2,
        },
        { deployment: deploymentIdOf(id, 1), command: 'up' },
      ])
      expect(await catalog.listVersions(to, 10)).toEqual([
        { version: 2, snapshot: second },
        { version: 1, snapshot: first },
      ])
      expect(await catalog.listHistory(id, 10)).toEqual([])
      expect([await requests.getProgram(id), await requests.getProgram(to)]).toEqual([
        undefined,
        program,
      ])
      for (const kind of kinds) {
        const moved = (await documents.list(kind, '', to)).documents
        expect(moved).toMatchObject([{ key: { scope: to, name: 'ops' }, value: { a: 1 } }])
        expect((await documents.list(kind, '', id)).documents).toEqual([])
      }
      expect([...(await catalog.listSlowOperations(to))]).toEqual([['k', 7]])
      const ids = (await catalog.listStacks()).stacks.map(stack => stack.id)
      expect([ids.includes(id), ids.includes(to)]).toEqual([false, true])
    })

    test('a notification keeps the id under which its secret was sealed, over two renames', async () => {
      const { renames, documents } = ports
      const [id, to, last] = [await createDeployed(), createStackId(), createStackId()]
      const keyOf = (name: string, scope = last) => ({ kind: 'notification', scope, name }) as const
      await documents.put(keyOf('sealed', id), { secret: 's' }, 0)
      await documents.put(keyOf('plain', id), { a: 1 }, 0)
      await renames.rename(id, to, input)
      await documents.put(keyOf('later', to), { secret: 't' }, 0)
      await renames.rename(to, last, { ...input, expectedVersion: 2 })
      const valueOf = async (name: string) => (await documents.get(keyOf(name)))?.value
      expect(await valueOf('sealed')).toEqual({ secret: 's', secretScope: id })
      expect(await valueOf('later')).toEqual({ secret: 't', secretScope: to })
      expect(await valueOf('plain')).toEqual({ a: 1 })
    })

    test('a rename moves late outcomes, and reveals none of removed stacks that had the new id', async () => {
      const { renames, catalog } = ports
      const [id, to] = [await createDeployed(), await createDeployed()]
      const addTo = async (stack: StackId, deployment: DeploymentId): Promise<LateOutcome> => {
        const outcome = { ...createLateOutcomeFactory(stack)(1), deployment }
        await catalog.putLateOutcome(stack, outcome)
        return outcome
      }
      // Deployment 2 belongs to a removed stack with the new id, and deployment 1 to the renamed one.
      await catalog.removeStack(to)
      await catalog.createStack(to, toEpochMs(5))
      const { deployment } = await catalog.start(to, { command: 'up', message: '', at })
      await catalog.release(deployment, { at, result: 'succeeded', changes: {}, version: 0 })
      await addTo(to, deployment)
      await catalog.removeStack(to)
      const outcome = await addTo(id, deploymentIdOf(id, 1))
      expect(await renames.rename(id, to, input)).toBe('renamed')
      expect(await catalog.listLateOutcomes(to, 10)).toEqual([outcome])
      await ports.retention.removeLeftovers()
      expect(await catalog.listLateOutcomes(to, 10)).toEqual([outcome])
      const back = { ...input, expectedVersion: 2 }
      expect(await renames.rename(to, id, back)).toBe('renamed')
      expect(await catalog.listLateOutcomes(id, 10)).toEqual([outcome])
      await catalog.removeStack(id)
      await catalog.createStack(id, toEpochMs(9))
      expect(await catalog.listLateOutcomes(id, 10)).toEqual([])
    })

    test('the old name is free, and the stack can be renamed back', async () => {
      const { renames, catalog } = ports
      const [id, to] = [await createDeployed(), createStackId()]
      await renames.rename(id, to, input)
      expect(await renames.rename(to, id, { ...input, expectedVersion: 2, snapshot: first })).toBe(
        'renamed',
      )
      expect(await catalog.getStack(id)).toMatchObject({ version: 3, deployments: 3 })
      await catalog.createStack(to, toEpochMs(5))
      expect(await catalog.listHistory(to, 10)).toEqual([])
      expect(await catalog.listVersions(to, 10)).toEqual([])
    })

    test('of two concurrent renames to one id, one moves its stack and the other changes nothing', async () => {
      const { renames, catalog } = ports
      const [one, other, to] = [await createDeployed(), await createDeployed(), createStackId()]
      await catalog.recordSlowOperation(one, one, 7)
      await catalog.recordSlowOperation(other, other, 7)
      const results = await Promise.all([one, other].map(id => renames.rename(id, to, input)))
      const [moved, kept] = results[0] === 'renamed' ? [one, other] : [other, one]
      expect(results.filter(result => result === 'renamed')).toHaveLength(1)
      const deploymentsOf = async (id: StackId) =>
        (await catalog.listHistory(id, 10)).map(({ deployment }) => deployment)
      expect(await deploymentsOf(to)).toEqual([deploymentIdOf(to, 2), deploymentIdOf(moved, 1)])
      expect(await deploymentsOf(kept)).toEqual([deploymentIdOf(kept, 1)])
      expect(await catalog.listVersions(to, 10)).toHaveLength(2)
      expect(await catalog.listVersions(kept, 10)).toEqual([{ version: 1, snapshot: first }])
      expect([...(await catalog.listSlowOperations(to)).keys()]).toEqual([moved])
      expect(await catalog.getStack(kept)).toMatchObject({ version: 1, snapshot: first })
    })

    test('the rename of a stack without a state publishes no version', async () => {
      const { renames, catalog } = ports
      const [id, to] = [createStackId(), createStackId()]
      await catalog.createStack(id, toEpochMs(1))
      const empty = { expectedVersion: 0, snapshot: '', program: '', at } as const
      expect(await renames.rename(id, to, empty)).toBe('renamed')
      expect(await catalog.getStack(to)).toMatchObject({ version: 0, snapshot: '', deployments: 1 })
      expect(await catalog.listVersions(to, 10)).toEqual([])
    })

    test('the rename of a missing, busy or changed stack, or to an existing name, is refused', async () => {
      const { renames, catalog, requests } = ports
      const [id, to] = [await createDeployed(), createStackId()]
      expect(await renames.rename(createStackId(), to, input)).toBe('missing')
      expect(await renames.rename(id, await createDeployed(), input)).toBe('exists')
      expect(await renames.rename(id, to, { ...input, expectedVersion: 0 })).toBe('conflict')
      await requests.put(createRequest(id, 'other', to))
      expect(await renames.rename(id, to, input)).toBe('busy')
      await requests.end(id, 'other', { kind: 'refused', code: 'X', message: '' })
      const startInput = { command: 'up', message: '', at } as const
      await catalog.start(id, startInput)
      expect(await renames.rename(id, to, input)).toBe('busy')
      expect(await catalog.getStack(id)).toMatchObject({ version: 1 })
      expect(await catalog.getStack(to)).toBeUndefined()
    })

    test('a rename ends its request, and a withdrawn request renames nothing', async () => {
      const { renames, catalog, requests } = ports
      const [id, to] = [await createDeployed(), createStackId()]
      await requests.put(createRequest(id, 'withdrawn', to))
      const withdrawal = { kind: 'refused', code: 'X', message: '' } as const
      await requests.end(id, 'withdrawn', withdrawal)
      expect(await renames.rename(id, to, { ...input, key: 'withdrawn' })).toBe('busy')
      expect(await catalog.getStack(id)).toMatchObject({ version: 1 })
      await requests.put(createRequest(id, 'k', to))
      expect(await renames.rename(id, to, { ...input, key: 'k' })).toBe('renamed')
      expect((await requests.find(id, 'k'))?.end).toEqual({ kind: 'renamed', to })
      expect(await requests.listWaiting(id, 10)).toEqual([])
    })
  })
}
