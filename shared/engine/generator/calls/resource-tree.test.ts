import { describe, expect, test } from 'vitest'
import { parseUrn } from '../../../names/urn.ts'
import { createResourceTree, type ResourceTree } from './resource-tree.ts'

const urnOf = (name: string) => parseUrn(`urn:pulumi:d::p::t::${name}`)
const [comp, inner, child] = [urnOf('comp'), urnOf('inner'), urnOf('child')]
const never = new Promise<never>(() => undefined)

/** `created`: a resource that exists. `planned`: a resource that is not created yet. */
type RecordedResource = readonly [
  name: string,
  parent: string,
  kind: 'component' | 'created' | 'planned',
]

const treeOf = (...resources: readonly RecordedResource[]): ResourceTree => {
  const tree = createResourceTree(never)
  for (const [name, parent, kind] of resources)
    tree.record({
      urn: urnOf(name),
      parent: parent === '' ? '' : urnOf(parent),
      custom: kind !== 'component',
      exists: kind !== 'planned',
    })
  return tree
}

const cases: readonly (readonly [
  title: string,
  resources: readonly RecordedResource[],
  isPending: boolean,
])[] = [
  ['an unregistered resource', [], false],
  ['a created resource', [['comp', '', 'created']], false],
  ['a resource that is not created yet', [['comp', '', 'planned']], true],
  [
    'a component with a child that is not created yet',
    [
      ['child', 'comp', 'planned'],
      ['comp', '', 'component'],
    ],
    true,
  ],
  [
    'a component with a child',
    [
      ['child', 'comp', 'created'],
      ['comp', '', 'component'],
    ],
    false,
  ],
  [
    'a component with a component whose child is not created yet',
    [
      ['child', 'inner', 'planned'],
      ['inner', 'comp', 'component'],
      ['comp', '', 'component'],
    ],
    true,
  ],
  [
    'a component with a resource whose child is not created yet',
    [
      ['child', 'inner', 'planned'],
      ['inner', 'comp', 'created'],
      ['comp', '', 'component'],
    ],
    false,
  ],
]

describe('a pending resource', () => {
  for (const [title, resources, isPending] of cases)
    test(`is ${isPending ? '' : 'not '}found at or below ${title}`, async () => {
      expect(await treeOf(...resources).isPending([comp])).toBe(isPending)
    })

  test('is awaited below a component at any depth', async () => {
    const tree = treeOf(['comp', '', 'component'], ['inner', 'comp', 'component'])
    const registration = Promise.withResolvers<void>()
    const childRegistration = tree.registerBelow(inner, () => registration.promise)
    const answered = tree.isPending([comp])
    expect(await Promise.race([answered, new Promise(done => setTimeout(done, 5, 'waits'))])).toBe(
      'waits',
    )
    tree.record({ urn: child, parent: inner, custom: true, exists: false })
    registration.resolve()
    await childRegistration
    expect(await answered).toBe(true)
  })

  test('is not awaited outside of the component, or after its registration failed', async () => {
    const tree = treeOf(['comp', '', 'component'], ['inner', '', 'component'])
    void tree.registerBelow(inner, () => never)
    await tree
      .registerBelow(comp, () => Promise.reject(new Error('it failed')))
      .catch(() => undefined)
    expect(await tree.isPending([comp])).toBe(false)
  })

  test('is not awaited after the deployment ended', async () => {
    const ended = Promise.withResolvers<void>()
    const tree = createResourceTree(ended.promise)
    tree.record({ urn: comp, parent: '', custom: false, exists: true })
    void tree.registerBelow(comp, () => never)
    const answered = tree.isPending([comp])
    ended.resolve()
    expect(await answered).toBe(false)
  })
})
