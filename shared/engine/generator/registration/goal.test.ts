import { expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import { emptyMap } from '../../../values/value.ts'
import { inheritFromParent, type InheritableOptions, type Registration } from './goal.ts'

const box = 'urn:pulumi:dev::shop::p:q:R::box' as Urn
const shelf = 'urn:pulumi:dev::shop::p:q:R::shelf' as Urn

const plainRegistration: Registration = {
  type: 'a:b:C',
  name: 'main',
  custom: true,
  parent: box,
  inputs: emptyMap,
  protect: undefined,
  retainOnDelete: undefined,
  deletedWith: '',
  dependencies: [],
  propertyDependencies: new Map(),
  provider: '',
  hasPackageRef: false,
  envVarMappings: new Map(),
  providers: new Map(),
  plugin: { pkg: 'a', version: '', downloadUrl: '', checksums: new Map() },
  deleteBeforeReplace: undefined,
  ignoreChanges: [],
  replaceOnChanges: [],
  additionalSecretOutputs: [],
  hideDiff: [],
  aliases: [],
  customTimeouts: {},
  replaceWith: [],
  replacementTrigger: null,
  resourceHooks: new Map(),
  importId: '',
  sourcePosition: '',
  stackTrace: [],
}

const parent: InheritableOptions = { protect: true, retainOnDelete: true, deletedWith: box }

test('a resource without options inherits those of its parent', () => {
  expect(inheritFromParent(plainRegistration, parent)).toEqual({ ...plainRegistration, ...parent })
})

test('a resource keeps its own options, false included', () => {
  const ownOptions: InheritableOptions = {
    protect: false,
    retainOnDelete: false,
    deletedWith: shelf,
  }
  expect(inheritFromParent({ ...plainRegistration, ...ownOptions }, parent)).toEqual({
    ...plainRegistration,
    ...ownOptions,
  })
})

test('a resource without a parent inherits nothing', () => {
  expect(inheritFromParent(plainRegistration, undefined)).toBe(plainRegistration)
})
