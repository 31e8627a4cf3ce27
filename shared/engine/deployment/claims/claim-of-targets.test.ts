import { expect, test } from 'vitest'
import type { StoredDeployment, StoredResource } from '../../../state/stored.ts'
import { claimOfTargets } from './claim-of-targets.ts'

const urnOf = (name: string): string => `urn:pulumi:dev::shop::a:b:C::${name}`
const provider = 'urn:pulumi:dev::shop::pulumi:providers:a::p'
const resourceOf = (name: string, dependencies: readonly string[] = []): StoredResource => ({
  urn: urnOf(name),
  custom: true,
  type: 'a:b:C',
  provider: `${provider}::id`,
  dependencies: dependencies.map(urnOf),
})
const state: StoredDeployment = {
  manifest: { time: '', magic: '', version: '' },
  resources: [resourceOf('a'), resourceOf('b', ['a']), resourceOf('c', ['b'])],
  metadata: {},
}
const targetOptions = {
  excludes: [],
  replaces: [],
  excludeDependents: false,
  excludeProtected: false,
  targetDependents: false,
}

test('targets inside and outside of the state are claimed, with the resources that they refer to', () => {
  const claim = claimOfTargets(state, { ...targetOptions, targets: [urnOf('b'), urnOf('new')] })
  expect(claim.changes).toEqual(new Set([urnOf('b'), urnOf('new')]))
  expect(claim.reads).toEqual(new Set([provider, urnOf('a')]))
})

test('resources that match a pattern, and their dependents on request, are claimed by their URNs', () => {
  const targets = ['**::b']
  expect(claimOfTargets(state, { ...targetOptions, targets }).changes).toEqual(
    new Set([urnOf('b')]),
  )
  const claim = claimOfTargets(state, { ...targetOptions, targets, targetDependents: true })
  expect(claim.changes).toEqual(new Set([urnOf('b'), urnOf('c')]))
})
