/**
 * Concurrent renames, creations and removals of one id in DynamoDB. The second call runs before
 * each request of the first one. A write that ignores the second call would mix the records of two
 * stacks, or remove records of a stack that exists.
 */
import { expect, test } from 'vitest'
import type { RecordPorts } from '../../shared/platform/aws/records.ts'
import type { BlobHash, StackId } from '../../shared/records/ids.ts'
import { createStackId, toBlobHash, toEpochMs } from '../contract/open-adapter.ts'
import { createModelDynamo, type ModelDynamo } from '../sim/model-dynamo.ts'
import { createDeployedStack, deployFirstVersion } from './deployed-stack.ts'
import { createTables, createTableNames, createTestRecords } from './test-records.ts'

type Client = ModelDynamo['client']

const at = toEpochMs(9)
const [first, second, renamed] = [toBlobHash('a'), toBlobHash('b'), toBlobHash('c')]
const input = { expectedVersion: 1, snapshot: renamed, program: '', at } as const

/** Two concurrent calls, each over the ports of its process. */
interface Race {
  readonly run: (ports: RecordPorts) => Promise<unknown>
  readonly interrupt: (ports: RecordPorts) => Promise<unknown>
  readonly check: () => Promise<void>
}

/** Repeats a race in new tables, until `interrupt` has run before each request of `run`. */
async function interruptEachRequest(
  prepare: (ports: RecordPorts, openFailing: () => RecordPorts) => Promise<Race>,
): Promise<void> {
  for (let interruptedAt = 1; ; interruptedAt += 1) {
    const { client } = createModelDynamo()
    const names = createTableNames()
    await createTables(client, names)
    const ports = createTestRecords(client, names)
    /** Opens the ports of a process that dies when its rename has copied all records. */
    const openFailing = () => {
      const send = async (...args: Parameters<Client['send']>): Promise<unknown> => {
        if (JSON.stringify(args[0].input).includes('stack rename')) throw new Error('died')
        return client.send(...args)
      }
      return createTestRecords({ send: send as Client['send'] }, names)
    }
    const { run, interrupt, check } = await prepare(ports, openFailing)
    let sent = 0
    const send = async (...args: Parameters<Client['send']>): Promise<unknown> => {
      sent += 1
      if (sent === interruptedAt) await interrupt(ports)
      return client.send(...args)
    }
    await run(createTestRecords({ send: send as Client['send'] }, names))
    if (sent < interruptedAt) return
    await check()
  }
}

/** Requires that a stack is listed, and has one deployment, which is followed by its renames. */
async function expectStack(
  { catalog }: RecordPorts,
  id: StackId,
  snapshots: readonly BlobHash[],
): Promise<void> {
  const versions = await catalog.listVersions(id, 10)
  expect(versions.map(({ snapshot }) => snapshot)).toEqual(snapshots)
  const history = await catalog.listHistory(id, 10)
  expect(history.map(({ command }) => command)).toEqual(
    snapshots.map(snapshot => (snapshot === renamed ? 'stack rename' : 'up')),
  )
  expect((await catalog.listStacks()).stacks.map(stack => stack.id)).toContain(id)
}

test('two renames to one id never mix the records of their stacks', async () => {
  const winners = new Set<StackId>()
  await interruptEachRequest(async ports => {
    const stacks = [await createDeployedStack(ports), await createDeployedStack(ports, second)]
    for (const stack of stacks) await ports.catalog.recordSlowOperation(stack, stack, 5)
    const [one = createStackId(), other = createStackId()] = stacks
    const to = createStackId()
    const renamedStacks: StackId[] = []
    const rename = async ({ renames }: RecordPorts, id: StackId) => {
      if ((await renames.rename(id, to, input)) === 'renamed') renamedStacks.push(id)
    }
    return {
      run: own => rename(own, one),
      interrupt: own => rename(own, other),
      check: async () => {
        expect(renamedStacks).toHaveLength(1)
        const isOne = renamedStacks.includes(one)
        winners.add(isOne ? one : other)
        await expectStack(ports, to, [renamed, isOne ? first : second])
        await expectStack(ports, isOne ? other : one, [isOne ? second : first])
        const slowOperations = await ports.catalog.listSlowOperations(to)
        expect([...slowOperations.keys()]).toEqual(renamedStacks)
      },
    }
  })
  expect(winners.size).toBeGreaterThan(1)
})

test('a rename that runs twice at the same time keeps all records of its stack', async () => {
  await interruptEachRequest(async ports => {
    const [id, to] = [await createDeployedStack(ports), createStackId()]
    const rename = ({ renames }: RecordPorts) => renames.rename(id, to, input)
    const check = () => expectStack(ports, to, [renamed, first])
    return { run: rename, interrupt: rename, check }
  })
})

test('a rename changes no record of a stack that is created with one of its ids', async () => {
  const created = new Set<string>()
  for (const kind of ['old', 'new'])
    await interruptEachRequest(async ports => {
      const [id, to] = [await createDeployedStack(ports), createStackId()]
      await ports.catalog.recordSlowOperation(id, 'create t:m:T', 5)
      const createdId = kind === 'old' ? id : to
      let isCreated = false
      return {
        run: own => own.renames.rename(id, to, input),
        interrupt: async own => {
          isCreated = await own.catalog.createStack(createdId, at)
          if (isCreated) await deployFirstVersion(own, createdId, second)
        },
        check: async () => {
          if (isCreated) created.add(kind)
          if (isCreated) await expectStack(ports, createdId, [second])
          if (isCreated && kind === 'new') {
            await expectStack(ports, id, [first])
            expect([...(await ports.catalog.listSlowOperations(to))]).toEqual([])
          } else await expectStack(ports, to, [renamed, first])
        },
      }
    })
  expect([...created]).toEqual(['old', 'new'])
})

test('the creation of a stack removes no record of a rename to its id', async () => {
  await interruptEachRequest(async ports => {
    const [id, to] = [await createDeployedStack(ports), await createDeployedStack(ports, second)]
    await ports.catalog.removeStack(to)
    let isCreated = false
    return {
      run: async own => {
        isCreated = await own.catalog.createStack(to, at)
      },
      interrupt: own => own.renames.rename(id, to, input),
      check: async () => {
        if (!isCreated) return expectStack(ports, to, [renamed, first])
        await expectStack(ports, to, [])
        await expectStack(ports, id, [first])
      },
    }
  })
})

test('the removal of a missing stack removes no record of a rename to its id', async () => {
  await interruptEachRequest(async ports => {
    const [id, to] = [await createDeployedStack(ports), createStackId()]
    return {
      run: own => own.renames.rename(id, to, input),
      interrupt: async ({ catalog }) => {
        if ((await catalog.getStack(to)) === undefined) await catalog.removeStack(to)
      },
      check: () => expectStack(ports, to, [renamed, first]),
    }
  })
})

test.each(['a removed', 'a new'])(
  'a stack that is created with %s id has no record of an interrupted rename',
  async name => {
    await interruptEachRequest(async (ports, openFailing) => {
      const id = await createDeployedStack(ports)
      const to = name === 'a new' ? createStackId() : await createDeployedStack(ports, second)
      await ports.catalog.removeStack(to)
      let isCreated = false
      return {
        run: async own => {
          isCreated = await own.catalog.createStack(to, at)
        },
        interrupt: () =>
          openFailing()
            .renames.rename(id, to, input)
            .catch(() => undefined),
        check: async () => {
          if (isCreated) await expectStack(ports, to, [])
          await expectStack(ports, id, [first])
        },
      }
    })
  },
)

test.each(['the removal', 'another creation'])(
  '%s of a stack removes no record of a new stack with its id',
  async name => {
    await interruptEachRequest(async ports => {
      const id = await createDeployedStack(ports)
      if (name === 'another creation') await ports.catalog.removeStack(id)
      let isCreated = false
      return {
        run: own =>
          name === 'the removal' ? own.catalog.removeStack(id) : own.catalog.createStack(id, at),
        interrupt: async own => {
          isCreated = await own.catalog.createStack(id, at)
          if (isCreated) await deployFirstVersion(own, id, second)
        },
        check: async () => {
          if (isCreated) await expectStack(ports, id, [second])
        },
      }
    })
  },
)
