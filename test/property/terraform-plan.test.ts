import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findInconsistencies } from '../../shared/providers/terraform/plan/object-inconsistencies.ts'
import { findPlanFlaws } from '../../shared/providers/terraform/plan/plan-flaws.ts'
import { planUnknown, proposeNew } from '../../shared/providers/terraform/plan/proposed-new.ts'
import type { CtyValue } from '../../shared/providers/terraform/values/cty-value.ts'
import { areEqualRaw } from '../../shared/providers/terraform/values/raw-equality.ts'
import { type BlockSchema, impliedTypeOf } from '../../shared/providers/terraform/values/schema.ts'
import {
  createBlock,
  createNestedAttribute,
  createNestedBlock,
  createPlainAttribute,
} from '../../shared/providers/terraform/values/schema.fixture.ts'
import {
  replaceUnknowns,
  transformValue,
} from '../../shared/providers/terraform/values/walk-value.ts'
import { findAttributeAtPath } from '../../shared/providers/terraform/plan/object-shape.ts'
import { nullOf } from '../../shared/providers/terraform/values/cty-value.ts'
import { objectOfType } from '../../shared/providers/terraform/values/build-value.ts'
import { conformsTo } from '../../shared/providers/terraform/values/conformance.ts'
import { valuesOf } from './cty.fixture.ts'

/** The letters are flags: `o` for optional, `c` for computed. */
const inner = {
  a: createPlainAttribute('o'),
  b: createPlainAttribute('oc', '"bool"'),
  c: createPlainAttribute('c'),
}
const nestings = ['single', 'list', 'set', 'map'] as const

/**
 * A schema with each nesting, in blocks and in attributes. The prefix of a name is `n` for optional
 * attributes, `m` for attributes that are also computed, and `b` for blocks.
 */
const block = createBlock(
  {
    ...inner,
    ...Object.fromEntries(
      nestings.map(nesting => [`n_${nesting}`, createNestedAttribute('o', nesting, inner)]),
    ),
    ...Object.fromEntries(
      nestings.map(nesting => [`m_${nesting}`, createNestedAttribute('oc', nesting, inner)]),
    ),
  },
  Object.fromEntries(
    nestings.map(nesting => [
      `b_${nesting}`,
      createNestedBlock(
        nesting,
        createBlock(inner, { deep: createNestedBlock('set', createBlock(inner)) }),
      ),
    ]),
  ),
)

/** Returns a value whose nested blocks have no null or unknown elements, as in a configuration. */
function normalize(schema: BlockSchema, value: CtyValue): CtyValue {
  return objectOfType(impliedTypeOf(schema), (name, type) => {
    const part = (value.kind === 'object' ? value.entries.get(name) : undefined) ?? nullOf(type)
    const nested = schema.blocks.get(name)
    if (nested === undefined) return part
    return transformValue(part, (element, path) => {
      if (path.length === 1 && nested.nesting !== 'single') return normalize(nested.block, element)
      if (path.length > 0) return element
      return nested.nesting === 'single'
        ? element.kind === 'object'
          ? normalize(nested.block, element)
          : nullOf(type)
        : element
    })
  })
}

const isComplete = (value: CtyValue): boolean =>
  value.kind === 'object' &&
  [...block.blocks].every(([name, { nesting }]) => {
    const part = value.entries.get(name)
    return (
      part !== undefined &&
      part.kind !== 'unknown' &&
      (nesting === 'single' || part.kind !== 'null')
    )
  })

const objects = valuesOf(impliedTypeOf(block))
  .filter(isComplete)
  .map(value => normalize(block, value))
const priors = fc.oneof(fc.constant(nullOf(impliedTypeOf(block))), objects.map(replaceUnknowns))
/** Configurations have no value for attributes that only the provider sets. */
const configs = objects.map(value =>
  transformValue(value, (part, path) => {
    const attribute = findAttributeAtPath(block, path)
    const isOutput = attribute?.isComputed === true && attribute.isOptional !== true
    return isOutput ? nullOf(part.type) : part
  }),
)

test('a plan that equals the proposal is valid', () => {
  fc.assert(
    fc.property(priors, configs, (prior, config) => {
      const planned = proposeNew(block, prior, config)
      expect(conformsTo(planned.type, impliedTypeOf(block))).toBe(true)
      expect(findPlanFlaws(block, { prior, config, planned })).toEqual([])
    }),
  )
})

test('a proposal from equal prior object and configuration is that object', () => {
  fc.assert(
    fc.property(configs.map(replaceUnknowns), config => {
      expect(areEqualRaw(proposeNew(block, config, config), config)).toBe(true)
    }),
  )
})

test('an applied object that equals its plan is consistent, and a plan with unknown computed values is valid', () => {
  fc.assert(
    fc.property(configs, config => {
      expect(findInconsistencies(block, { planned: config, actual: config })).toEqual([])
      const planned = planUnknown(block, config)
      expect(conformsTo(planned.type, impliedTypeOf(block))).toBe(true)
      expect(findPlanFlaws(block, { prior: nullOf(config.type), config, planned })).toEqual([])
    }),
  )
})
