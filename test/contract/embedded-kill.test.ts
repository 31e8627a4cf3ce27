import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Interface, createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import { type OperationId, deploymentIdOf, stackIdOf } from '../../shared/records/ids.ts'
import { toExecutorId, toOperationId, toOwnerToken } from './open-adapter.ts'

/** A process that writes. `acknowledged` grows while it lives. */
interface WritingProcess {
  readonly role: string
  readonly acknowledged: readonly OperationId[]
  /** Resolves when this many writes were acknowledged in total. */
  readonly waitFor: (count: number) => Promise<void>
  /** Kills the process. Resolves when all of its output was read. */
  readonly kill: () => Promise<void>
}

let home: string
let children: ChildProcessByStdio<null, Readable, null>[]

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'antichain-kill-'))
  children = []
})

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

async function startWriting(name: string): Promise<WritingProcess> {
  const script = join(import.meta.dirname, 'writing-process.ts')
  const child = spawn(process.execPath, [script, home, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines: Interface = createInterface({ input: child.stdout })
  const closed = once(lines, 'close')
  const [role] = (await once(lines, 'line')) as [string]
  const acknowledged: OperationId[] = []
  let wantedCount = Number.POSITIVE_INFINITY
  let resolveWait = (): void => {}
  lines.on('line', line => {
    acknowledged.push(toOperationId(Number(line)))
    if (acknowledged.length >= wantedCount) resolveWait()
  })
  return {
    role,
    acknowledged,
    waitFor: count =>
      new Promise(resolve => {
        wantedCount = count
        resolveWait = resolve
        if (acknowledged.length >= count) resolve()
      }),
    kill: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

/** Returns the acknowledged operations that the store lacks, or has with another owner. */
async function findMissing(
  platform: EmbeddedPlatform,
  name: string,
  acknowledged: readonly OperationId[],
): Promise<readonly OperationId[]> {
  const deployment = deploymentIdOf(stackIdOf('killed', name), 1)
  const lost: OperationId[] = []
  // One read gets at most 500 heads.
  for (let from = 0; from < acknowledged.length; from += 500) {
    const page = acknowledged.slice(from, from + 500)
    const heads = await platform.operations.getHeads(deployment, page)
    lost.push(...page.filter(id => heads.get(id)?.owner !== `${name}-${id}`))
  }
  return lost
}

test('every acknowledged write of a killed process is stored', async () => {
  for (const name of ['first', 'second', 'third']) {
    const writingProcess = await startWriting(name)
    expect(writingProcess.role).toBe('owner')
    await writingProcess.waitFor(400)
    await writingProcess.kill()
    const platform = await openEmbeddedPlatform({ home })
    expect(platform.getRole()).toBe('owner')
    expect(await findMissing(platform, name, writingProcess.acknowledged)).toEqual([])
    await platform.close()
  }
}, 60_000)

test('when the owner of the store is killed, another process takes over without an error', async () => {
  const owner = await startWriting('owner')
  const client = await startWriting('client')
  await using platform = await openEmbeddedPlatform({ home })
  expect([owner.role, client.role, platform.getRole()]).toEqual(['owner', 'client', 'client'])
  await Promise.all([owner.waitFor(200), client.waitFor(200)])

  const deployment = deploymentIdOf(stackIdOf('killed', 'here'), 1)
  const writes = Array.from({ length: 300 }, (_, index) => index + 1)
  const begin = (number: number) =>
    platform.operations.begin(deployment, toOperationId(number), {
      owner: toOwnerToken(`here-${number}`),
      executor: toExecutorId('here'),
      expectedAttempt: 0,
      needs: 0,
    })
  const inFlight = Promise.all(writes.map(begin))
  await owner.kill()
  const answers = await inFlight
  expect(answers.every(answer => answer.kind === 'begun' && answer.attempt === 1)).toBe(true)

  await client.waitFor(client.acknowledged.length + 200)
  await client.kill()
  expect(await findMissing(platform, 'owner', owner.acknowledged)).toEqual([])
  expect(await findMissing(platform, 'client', client.acknowledged)).toEqual([])
  expect(platform.getRole()).toBe('owner')
}, 60_000)

test('of two concurrent begins through two connections exactly one succeeds', async () => {
  await using one = await openEmbeddedPlatform({ home })
  await using other = await openEmbeddedPlatform({ home })
  const deployment = deploymentIdOf(stackIdOf('raced', 's'), 1)
  const ids = Array.from({ length: 200 }, (_, index) => toOperationId(index + 1))
  const begin = (platform: EmbeddedPlatform, owner: string) =>
    Promise.all(
      ids.map(id =>
        platform.operations.begin(deployment, id, {
          owner: toOwnerToken(owner),
          executor: toExecutorId(owner),
          expectedAttempt: 0,
          needs: 0,
        }),
      ),
    )
  const [firstResults, secondResults] = await Promise.all([
    begin(one, 'one'),
    begin(other, 'other'),
  ])
  const winnerCounts = ids.map(
    (_, index) =>
      Number(firstResults[index]?.kind === 'begun') +
      Number(secondResults[index]?.kind === 'begun'),
  )
  expect(winnerCounts.every(count => count === 1)).toBe(true)
})
