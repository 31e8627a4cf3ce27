import type { DependencyOf } from '../../test/aws/budget.ts'

/** The shapes of stacks that a plan can have. */
export const shapeNames = ['flat', 'layers', 'chain', 'hub'] as const

/** A shape: how the resources of a stack depend on each other. */
export type ShapeName = (typeof shapeNames)[number]

/** `count` consecutive waves, each of `width` independent operations. */
export interface WaveGroup {
  readonly count: number
  readonly width: number
}

/** Maximum number of resources in one layer. */
const layerWidth = 1_000

/** Returns the dependency of each resource of a shape. */
export function dependencyOf(shape: ShapeName, resources: number): DependencyOf {
  const width = Math.min(layerWidth, Math.ceil(resources / 10))
  return position => {
    if (position === 0 || shape === 'flat') return undefined
    if (shape === 'chain') return position - 1
    if (shape === 'hub') return 0
    return position < width ? undefined : position - width
  }
}

/** Returns the waves in which the operations of a shape can run. A delete has the reverse order. */
export function shapeWavesOf(shape: ShapeName, resources: number): readonly WaveGroup[] {
  if (shape === 'flat') return [{ count: 1, width: resources }]
  if (shape === 'chain') return [{ count: resources, width: 1 }]
  if (shape === 'hub')
    return [{ count: 1, width: 1 }, ...(resources > 1 ? [{ count: 1, width: resources - 1 }] : [])]
  const width = Math.min(layerWidth, Math.ceil(resources / 10))
  const wholeLayers = Math.floor(resources / width)
  const lastWidth = resources % width
  return [{ count: wholeLayers, width }, ...(lastWidth > 0 ? [{ count: 1, width: lastWidth }] : [])]
}
