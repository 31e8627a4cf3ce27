import { describe, expect, test } from 'vitest'
import { hasCode } from '../../errors/error.ts'
import { verifyIntegrity } from '../snapshot-integrity.ts'
import type { Json, StoredDeployment, StoredResource } from '../stored.ts'
import { deleteResources } from './delete-resources.ts'
import { setResourceFlags } from './set-resource-flags.ts'
import { moveResources } from './move-resources.ts'
import { renameResourceInState } from './rename-resource.ts'
import { renameStackInState } from './rename-stack-in-state.ts'
import { repairState } from './repair.ts'

const urn = (name: string, type = 'a:b:C', stack = 'dev'): string =>
  `urn:pulumi:${stack}::shop::${type}::${name}`
const thing = (name: string, fields: Record<string, Json> = {}): StoredResource => ({
  urn: urn(name),
  custom: true,
  id: `${name}-1`,
  type: 'a:b:C',
  ...fields,
})
const stateOf = (...resources: readonly StoredResource[]): StoredDeployment => ({
  manifest: { time: '', magic: '', version: '' },
  resources,
  metadata: {},
})
const namesIn = (state: StoredDeployment): readonly string[] =>
  (state.resources ?? []).map(resource => resource.urn.slice(resource.urn.lastIndexOf(':') + 1))
const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (thrown) {
    for (const code of [
      'CLI_USAGE',
      'STATE_RESOURCE_UNKNOWN',
      'STATE_URN_AMBIGUOUS',
      'STATE_RESOURCE_NEEDED',
      'STATE_RESOURCE_PROTECTED',
      'STATE_RESOURCE_EXISTS',
      'STATE_INTEGRITY',
    ] as const)
      if (hasCode(thrown, code)) return code
    throw thrown
  }
  return ''
}

const provider: StoredResource = {
  urn: urn('default', 'pulumi:providers:a'),
  custom: true,
  id: 'p-1',
  type: 'pulumi:providers:a',
  inputs: { region: 'x' },
}
const reference = `${provider.urn}::p-1`

describe('deleteResources', () => {
  const noOptions = { force: false, dependents: false }
  const chain = stateOf(
    thing('a'),
    thing('b', { dependencies: [urn('a')] }),
    thing('c', { parent: urn('b') }),
    thing('d', { propertyDependencies: { x: [urn('c')] } }),
    thing('e'),
  )

  test('removes a resource without dependents', () => {
    const deleted = deleteResources(chain, { ...noOptions, urns: [{ urn: urn('e') }] })
    expect(namesIn(deleted.state)).toEqual(['a', 'b', 'c', 'd'])
    expect(deleted.namedCount).toBe(1)
  })

  test('refuses a resource with dependents, by dependencies, parents, properties and providers', () => {
    for (const name of ['a', 'b', 'c'])
      expect(
        codeOf(() => deleteResources(chain, { ...noOptions, urns: [{ urn: urn(name) }] })),
      ).toBe('STATE_RESOURCE_NEEDED')
    const used = stateOf(provider, thing('a', { provider: reference }))
    const urns = [{ urn: provider.urn }]
    expect(codeOf(() => deleteResources(used, { ...noOptions, urns }))).toBe(
      'STATE_RESOURCE_NEEDED',
    )
  })

  test('removes dependents as well if requested', () => {
    const deleted = deleteResources(chain, {
      ...noOptions,
      dependents: true,
      urns: [{ urn: urn('b') }],
    })
    expect(namesIn(deleted.state)).toEqual(['a', 'e'])
    expect(deleted.namedCount).toBe(1)
  })

  test('removes several resources named in any order', () => {
    const urns = ['a', 'd', 'b', 'c'].map(name => ({ urn: urn(name) }))
    expect(namesIn(deleteResources(chain, { ...noOptions, urns }).state)).toEqual(['e'])
  })

  test('refuses protected resources without force, dependents included', () => {
    const state = stateOf(
      thing('a'),
      thing('b', { protect: true, dependencies: [urn('a')] }),
      thing('c'),
    )
    const selection = { ...noOptions, dependents: true, urns: [{ urn: urn('a') }] }
    expect(codeOf(() => deleteResources(state, selection))).toBe('STATE_RESOURCE_PROTECTED')
    const forced = deleteResources(state, { ...selection, force: true })
    expect(namesIn(forced.state)).toEqual(['c'])
    expect(forced.forcedUrns).toEqual([urn('b')])
    expect(codeOf(() => deleteResources(state, { ...noOptions, urns: 'all' }))).toBe(
      'STATE_RESOURCE_PROTECTED',
    )
    const all = deleteResources(state, { ...noOptions, force: true, urns: 'all' })
    expect(all.state).not.toHaveProperty('resources')
  })

  test('removes an old copy by its id and keeps the new one', () => {
    const state = stateOf(
      thing('a'),
      thing('b', { dependencies: [urn('a')] }),
      thing('a', { id: 'a-0', delete: true }),
    )
    const deleteA = (id?: string) =>
      deleteResources(state, {
        ...noOptions,
        urns: [{ urn: urn('a'), ...(id === undefined ? {} : { id }) }],
      })
    expect(codeOf(() => deleteA())).toBe('STATE_URN_AMBIGUOUS')
    expect(namesIn(deleteA('a-0').state)).toEqual(['a', 'b'])
    expect(codeOf(() => deleteA('a-1'))).toBe('STATE_RESOURCE_NEEDED')
  })

  test('reports an unknown URN, and suggests similar ones', () => {
    const deleteUrn = (text: string) => () =>
      deleteResources(chain, { ...noOptions, urns: [{ urn: text }] })
    expect(codeOf(deleteUrn('a'))).toBe('CLI_USAGE')
    expect(codeOf(deleteUrn(urn('z')))).toBe('STATE_RESOURCE_UNKNOWN')
    expect(deleteUrn(urn('z'))).toThrow(`Did you mean '${urn('a')}'`)
  })
})

describe('flags', () => {
  const state = stateOf(
    thing('a', { protect: true, parent: urn('p') }),
    thing('b'),
    thing('b', { delete: true }),
  )

  test('are set at their position among the fields, and removed', () => {
    const { state: tainted, count } = setResourceFlags(state, [urn('a')], {
      mark: 'taint',
      isSet: true,
    })
    expect(Object.keys(tainted.resources?.[0] ?? {})).toEqual([
      ...['urn', 'custom', 'id', 'type', 'parent', 'protect', 'taint'],
    ])
    expect(count).toBe(1)
    const unflagged = setResourceFlags(tainted, 'all', { mark: 'taint', isSet: false }).state
    expect(unflagged).toEqual(state)
  })

  test('are not set on old copies', () => {
    const { state: all } = setResourceFlags(state, 'all', { mark: 'protect', isSet: true })
    expect(all.resources?.map(({ protect }) => protect)).toEqual([true, true, undefined])
  })

  test('are refused when a URN is unknown, and the error names every unknown URN', () => {
    const urns = [urn('a'), urn('x'), urn('y')]
    const unprotectAll = () => setResourceFlags(state, urns, { mark: 'protect', isSet: false })
    expect(codeOf(unprotectAll)).toBe('STATE_RESOURCE_UNKNOWN')
    expect(unprotectAll).toThrow(urn('x'))
    expect(unprotectAll).toThrow(urn('y'))
  })
})

describe('a new name', () => {
  test('updates every reference, and children keep their URNs', () => {
    const state = stateOf(
      thing('a'),
      thing('b', {
        parent: urn('a'),
        dependencies: [urn('a')],
        propertyDependencies: { x: [urn('a')], y: [] },
        deletedWith: urn('a'),
        replaceWith: [urn('a')],
      }),
    )
    const renamed = renameResourceInState(state, urn('a'), 'z')
    expect(verifyIntegrity(renamed)).toBeUndefined()
    expect(renamed.resources?.[1]).toEqual(
      thing('b', {
        parent: urn('z'),
        dependencies: [urn('z')],
        // A quirk of Pulumi: any rename drops empty lists of other resources.
        propertyDependencies: { x: [urn('z')] },
        deletedWith: urn('z'),
        replaceWith: [urn('z')],
      }),
    )
  })

  test('of a provider updates the references to it', () => {
    const state = stateOf(provider, thing('a', { provider: reference }))
    const renamed = renameResourceInState(state, provider.urn, 'mine')
    expect(verifyIntegrity(renamed)).toBeUndefined()
    expect(renamed.resources?.[1]?.['provider']).toBe(`${urn('mine', 'pulumi:providers:a')}::p-1`)
  })

  test('must be free and not empty, and the same name changes nothing', () => {
    const state = stateOf(thing('a'), thing('b'))
    expect(codeOf(() => renameResourceInState(state, urn('a'), 'b'))).toBe('STATE_RESOURCE_EXISTS')
    expect(codeOf(() => renameResourceInState(state, urn('a'), ''))).toBe('CLI_USAGE')
    expect(renameResourceInState(state, urn('a'), 'a')).toBe(state)
  })
})

describe('renaming a stack', () => {
  test('updates every URN of the stack, references and plaintext secrets, and nothing else', () => {
    const mark = '4dabf18193072939515e22adb298388d'
    const createReference = (target: string) => ({
      [mark]: '5cf8f73096256a8f31e491e813e4eb8e',
      urn: target,
    })
    const secret = '1b47061264138c4ac30d75fd1eb44270'
    const root = { ...thing('shop-dev'), urn: urn('shop-dev', 'pulumi:pulumi:Stack') }
    const state = stateOf(
      { ...root, type: 'pulumi:pulumi:Stack' },
      thing('a', {
        inputs: {
          self: createReference(urn('a')),
          other: createReference(urn('a', 'a:b:C', 'lib')),
          text: urn('a'),
        },
        outputs: {
          shown: { [mark]: secret, plaintext: JSON.stringify(createReference(urn('a'))) },
        },
        parent: root.urn,
        dependencies: [root.urn],
        provider: reference,
      }),
    )
    const renamed = renameStackInState(
      state,
      { project: 'shop', stack: 'dev' },
      { project: 'mall', stack: 'prod' },
    )
    const prodUrnOf = (name: string, type = 'a:b:C') => `urn:pulumi:prod::mall::${type}::${name}`
    expect(renamed.resources?.[0]?.urn).toBe(prodUrnOf('mall-prod', 'pulumi:pulumi:Stack'))
    expect(renamed.resources?.[1]).toMatchObject({
      urn: prodUrnOf('a'),
      parent: prodUrnOf('mall-prod', 'pulumi:pulumi:Stack'),
      dependencies: [prodUrnOf('mall-prod', 'pulumi:pulumi:Stack')],
      provider: `${prodUrnOf('default', 'pulumi:providers:a')}::p-1`,
      inputs: {
        self: createReference(prodUrnOf('a')),
        other: createReference(urn('a', 'a:b:C', 'lib')),
        text: urn('a'),
      },
      outputs: { shown: { plaintext: JSON.stringify(createReference(prodUrnOf('a'))) } },
    })
  })
})

describe('a repair', () => {
  test('leaves a valid state unchanged', () => {
    expect(repairState(stateOf(thing('a')))).toBeUndefined()
  })

  test('moves dependencies first, cuts dangling references, and removes the integrity error', () => {
    const state = {
      ...stateOf(
        thing('b', { dependencies: [urn('a')], propertyDependencies: { x: [], y: [urn('gone')] } }),
        thing('a', { dependencies: [urn('gone')] }),
        {
          ...thing('c'),
          urn: urn('c', 'k:l:M$a:b:C'),
          parent: urn('lost', 'k:l:M'),
        },
      ),
      metadata: { integrity_error: { error: 'wrong' } },
    }
    const repair = repairState(state)
    expect(repair?.state).toEqual(
      stateOf(thing('a'), thing('b', { dependencies: [urn('a')] }), thing('c')),
    )
    expect(repair?.prunedResources.map(({ newUrn }) => newUrn)).toEqual([
      urn('a'),
      urn('b'),
      urn('c'),
    ])
    expect(repair?.movedCount).toBe(2)
  })

  test('fails on a cycle and on a missing provider', () => {
    const cycle = stateOf(
      thing('a', { dependencies: [urn('b')] }),
      thing('b', { dependencies: [urn('a')] }),
    )
    expect(codeOf(() => repairState(cycle))).toBe('STATE_INTEGRITY')
    const lost = stateOf(thing('a', { provider: reference }))
    expect(codeOf(() => repairState(lost))).toBe('STATE_INTEGRITY')
  })
})

describe('a move', () => {
  const root = (stack: string): StoredResource => ({
    urn: urn(`shop-${stack}`, 'pulumi:pulumi:Stack', stack),
    custom: false,
    type: 'pulumi:pulumi:Stack',
  })
  const childOfRoot = (name: string, fields: Record<string, Json> = {}) =>
    thing(name, { parent: root('dev').urn, provider: reference, ...fields })
  const group: StoredResource = {
    urn: urn('g', 'k:l:M'),
    custom: false,
    type: 'k:l:M',
    parent: root('dev').urn,
  }
  const child = {
    ...childOfRoot('kid'),
    urn: urn('kid', 'k:l:M$a:b:C'),
    parent: group.urn,
    dependencies: [urn('a')],
  }
  const source = stateOf(
    root('dev'),
    provider,
    childOfRoot('a'),
    group,
    child,
    childOfRoot('user', { dependencies: [child.urn], propertyDependencies: { x: [child.urn] } }),
  )
  const target = {
    names: { project: 'shop', stack: 'prod' },
    reseal: (resources: readonly StoredResource[]) => resources,
    isEqual: (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b),
  }
  const move = (urns: readonly string[], dest = stateOf(), includeParents = false) =>
    moveResources(source, dest, { request: { urns, includeParents }, target })

  test('copies the provider, creates a root, and cuts references to the source', () => {
    const { source, dest, brokenInDest, brokenInSource } = move([child.urn])
    expect(verifyIntegrity(source)).toBeUndefined()
    expect(verifyIntegrity(dest)).toBeUndefined()
    const copy = urn('default', 'pulumi:providers:a', 'prod')
    expect(dest.resources).toEqual([
      root('prod'),
      { ...provider, urn: copy, parent: root('prod').urn },
      {
        ...thing('kid'),
        urn: urn('kid', 'a:b:C', 'prod'),
        parent: root('prod').urn,
        provider: `${copy}::p-1`,
      },
    ])
    expect(brokenInDest.map(brokenReference => brokenReference.reference.urn)).toEqual([urn('a')])
    expect(brokenInSource.map(({ reference: { kind } }) => kind)).toEqual([
      'dependency',
      'property',
    ])
    expect(source.resources?.at(-1)).toEqual(childOfRoot('user'))
  })

  test('moves children, and parents if requested', () => {
    const namesOf = (moved: readonly string[]) =>
      moved.map(movedUrn => movedUrn.slice(movedUrn.lastIndexOf(':') + 1))
    expect(namesOf(move([group.urn]).movedUrns)).toEqual(['g', 'kid'])
    expect(namesOf(move([child.urn], stateOf(), true).movedUrns)).toEqual(['g', 'kid'])
    expect(namesOf(move([root('dev').urn]).movedUrns)).toEqual(['a', 'g', 'kid', 'user'])
    const { dest } = move([group.urn])
    expect(dest.resources?.at(-1)?.urn).toBe(urn('kid', 'k:l:M$a:b:C', 'prod'))
  })

  test('reuses an existing provider with equal inputs, and refuses one with other inputs', () => {
    const copy = { ...provider, urn: urn('default', 'pulumi:providers:a', 'prod') }
    const equalProvider = { ...copy, id: 'p-9' }
    const movedResource = move([urn('a')], stateOf(root('prod'), equalProvider)).dest.resources?.at(
      -1,
    )
    expect(movedResource?.['provider']).toBe(`${copy.urn}::p-9`)
    const different = { ...equalProvider, inputs: { region: 'y' } }
    expect(codeOf(() => move([urn('a')], stateOf(root('prod'), different)))).toBe(
      'STATE_RESOURCE_EXISTS',
    )
  })

  // Without its extension, the resource of a pending create could not be deleted later.
  test('keeps the extensions of pending operations, and copies those of moved resources', () => {
    const pending = (ref: string) => [
      { resource: thing(ref, { extensionRef: ref }), type: 'creating' },
    ]
    const before = {
      ...stateOf(root('dev'), provider, childOfRoot('a', { extensionRef: 'moved' })),
      pending_operations: pending('kept'),
      extensions: { moved: { name: 'm' }, kept: { name: 'k' }, unused: { name: 'u' } },
    }
    const dest = {
      ...stateOf(),
      pending_operations: pending('other'),
      extensions: { other: { name: 'o' } },
    }
    const request = { urns: [urn('a')], includeParents: false }
    const moved = moveResources(before, dest, { request, target })
    expect(moved.source.extensions).toEqual({ kept: { name: 'k' } })
    expect(moved.dest.extensions).toEqual({ moved: { name: 'm' }, other: { name: 'o' } })
  })

  test('refuses providers, existing resources, and a selection of unknown resources only', () => {
    expect(codeOf(() => move([provider.urn]))).toBe('CLI_USAGE')
    expect(codeOf(() => move([urn('nobody')]))).toBe('STATE_RESOURCE_UNKNOWN')
    expect(move([urn('nobody'), urn('a')]).unknownUrns).toEqual([urn('nobody')])
    const existing = { ...thing('a'), urn: urn('a', 'a:b:C', 'prod') }
    expect(codeOf(() => move([urn('a')], stateOf(root('prod'), existing)))).toBe(
      'STATE_RESOURCE_EXISTS',
    )
  })
})
