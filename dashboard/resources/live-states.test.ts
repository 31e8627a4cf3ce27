import { expect, test } from 'vitest'
import { createRow, type OperationState } from '../deployment/operation-row.ts'
import { combineLiveStates, listNewRows } from './live-states.ts'
import { createResourceRows } from './state-resource.ts'

const urnOf = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`

const createOperation = (op: string, name: string, state: OperationState, parent?: string) =>
  createRow(
    {
      op,
      urn: urnOf(name),
      type: 'a:b:C',
      ...(parent === undefined ? {} : { new: { parent: urnOf(parent) } }),
    },
    state,
  )

test('of several operations of a resource, failed, running and waiting ones precede the others', () => {
  const states = combineLiveStates([
    createOperation('create-replacement', 'a', 'done'),
    createOperation('delete-replaced', 'a', 'running'),
    createOperation('delete', 'b', 'failed'),
    createOperation('create', 'b', 'done'),
    createOperation('create', 'c', 'done'),
    createOperation('delete', 'c', 'waiting'),
    createOperation('same', 'd', 'done'),
    createOperation('create', 'e', 'planned'),
  ])
  expect([...states]).toEqual([
    [urnOf('a'), 'running'],
    [urnOf('b'), 'failed'],
    [urnOf('c'), 'waiting'],
    [urnOf('d'), 'done'],
  ])
})

test('resources that the state does not contain yet are added once, with their parents', () => {
  const known = { urn: urnOf('known'), type: 'a:b:C' }
  const rows = createResourceRows({ deployment: { resources: [known] } })
  const added = listNewRows(rows, [
    createOperation('update', 'known', 'running'),
    createOperation('create', 'new', 'running', 'known'),
    createOperation('refresh', 'new', 'waiting'),
  ])
  expect(added).toMatchObject([
    { key: urnOf('new'), name: 'new', parent: urnOf('known'), condition: 'normal' },
  ])
})
