import { expect } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { type Place, waitUntil } from './place.ts'
import { type ExportedState, lostObjects, readExport } from './exported-state.ts'

/** Waits until the provider has received the first four creates. */
export async function waitForFourCreates(place: Place): Promise<void> {
  const countChecks = (): number => place.listCalls().filter(({ call }) => call === 'check').length
  await waitUntil(() => countChecks() >= 4, { what: 'four creates' })
  await new Promise(done => setTimeout(done, 500))
}

/** Returns the state of the stack after checking that it is valid and that no object was lost. */
export async function readCheckedState(place: Place): Promise<ExportedState> {
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  const state = readExport(text)
  expect(lostObjects(place, state)).toEqual([])
  return state
}

/** The arguments of a `cancel` that does not prompt. */
export const cancelArgs = ['cancel', '--yes', '-s', 'dev']
