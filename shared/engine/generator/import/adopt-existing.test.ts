import { expect, test } from 'vitest'
import { isAdoption } from './adopt-existing.ts'

const old = { external: false, id: 'own', importID: '' }

test.each([
  ['the goal names no id', { custom: true, importId: '' }, undefined, false],
  ['the goal is a component', { custom: false, importId: 'x' }, undefined, false],
  ['there is no old state', { custom: true, importId: 'x' }, undefined, true],
  ['the old state has the id', { custom: true, importId: 'own' }, old, false],
  ['the old state has another id', { custom: true, importId: 'x' }, old, true],
  [
    'the old state was only read',
    { custom: true, importId: 'own' },
    { ...old, external: true },
    true,
  ],
  [
    'the old state was imported under the id',
    { custom: true, importId: 'x' },
    { ...old, importID: 'x' },
    false,
  ],
  [
    'the old state was imported under another id',
    { custom: true, importId: 'own' },
    { ...old, importID: 'x' },
    true,
  ],
])('isAdoption: %s', (_title, goal, state, expected) => {
  expect(isAdoption(goal, state)).toBe(expected)
})
