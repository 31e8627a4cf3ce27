import { expect, test } from 'vitest'
import type { HistoryRecord, StackRecord } from '../ports/catalog.ts'
import { deploymentIdOf, stackIdOf } from '../records/ids.ts'
import { findNamedDeployment } from './find-named-deployment.ts'

const stackId = stackIdOf('shop', 'dev')

/** Creates a history from the versions of deployments by number. It counts its reads. */
function createHistory(versions: ReadonlyMap<number, number | undefined>) {
  const numbers = [...versions.keys()].toSorted((left, right) => right - left)
  const stack = {
    id: stackId,
    version: Math.max(...[...versions.values()].map(version => version ?? 0)),
    deployments: numbers[0] ?? 0,
  } as StackRecord
  let reads = 0
  const listHistory = async (_id: unknown, limit: number, before = Infinity) => {
    reads += 1
    return numbers
      .filter(number => number < before)
      .slice(0, limit)
      .map(number => {
        const version = versions.get(number)
        const deployment = deploymentIdOf(stackId, number)
        return { deployment, ...(version === undefined ? {} : { version }) } as HistoryRecord
      })
  }
  const find = (name: string) => findNamedDeployment({ listHistory }, stack, name)
  return { find, countReads: () => reads }
}

test('of several deployments with one version, the one that published it is found', async () => {
  const { find } = createHistory(
    new Map([
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 2],
      [5, 3],
      [6, undefined],
    ]),
  )
  expect(await find('1')).toBe(deploymentIdOf(stackId, 1))
  expect(await find('2')).toBe(deploymentIdOf(stackId, 2))
  expect(await find('3')).toBe(deploymentIdOf(stackId, 5))
  expect(await find('4')).toBe(deploymentIdOf(stackId, 6))
  expect(await find('latest')).toBe(deploymentIdOf(stackId, 6))
  for (const name of ['0', '5', '01', '-1', '1000000000', 'first'])
    expect([name, await find(name)]).toEqual([name, undefined])
})

test('a version is found between entries that the retention removed', async () => {
  const { find } = createHistory(
    new Map([
      [4, 3],
      [9, 7],
      [10, 7],
    ]),
  )
  expect(await find('3')).toBe(deploymentIdOf(stackId, 4))
  expect(await find('7')).toBe(deploymentIdOf(stackId, 9))
  for (const name of ['2', '5', '8']) expect([name, await find(name)]).toEqual([name, undefined])
})

test('a stack that was never deployed has no latest update', async () => {
  const { find } = createHistory(new Map())
  expect(await find('latest')).toBeUndefined()
  expect(await find('1')).toBeUndefined()
})

test('one of 100,000 deployments is found with few reads', async () => {
  const versions = Array.from({ length: 100_000 }, (_, index) => [index + 1, index + 1] as const)
  const { find, countReads } = createHistory(new Map(versions))
  expect(await find('1')).toBe(deploymentIdOf(stackId, 1))
  expect(countReads()).toBeLessThan(20)
})
