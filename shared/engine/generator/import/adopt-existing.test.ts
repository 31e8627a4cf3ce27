import { expect, test } from 'vitest'
import { isAdoption } from './adopt-existing.ts'

const old = { external: false, id: 'own', importID: '' }

test.each([
  ['no id is named', { custom: true, importId: '' }, undefined, false],
  ['a component', { custom: false, importId: 'x' }, undefined, false],
  ['nothing is there', { custom: true, importId: 'x' }, undefined, true],
  ['it has that id', { custom: true, importId: 'own' }, old, false],
  ['it has another id', { custom: true, importId: 'x' }, old, true],
  ['it was read only', { custom: true, importId: 'own' }, { ...old, external: true }, true],
  ['it was imported by that id', { custom: true, importId: 'x' }, { ...old, importID: 'x' }, false],
  [
    'it was imported by another',
    { custom: true, importId: 'own' },
    { ...old, importID: 'x' },
    true,
  ],
])('whether something is to be imported: %s', (_case, goal, state, expected) => {
  expect(isAdoption(goal, state)).toBe(expected)
})
