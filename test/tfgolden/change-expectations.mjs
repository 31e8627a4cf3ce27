/** Changed expectations, which show the parts that the comparison does not read. */
import { isObject } from './lossless-values.mjs'

/**
 * Changes every leaf of an expectation in turn. `hasDifferences` compares the changed expectation
 * with the run that met the original. Adds the changes without a difference to `unnoticed`, by
 * their path, and returns the number of changes.
 */
export function changeEachLeaf(expectation, hasDifferences, unnoticed) {
  let changeCount = 0
  const visit = (value, path) => {
    if (isObject(value)) {
      for (const [key, part] of Object.entries(value)) visit(part, [...path, key])
      return
    }
    const changed = structuredClone(expectation)
    const parent = path.slice(0, -1).reduce((part, key) => part[key], changed)
    parent[path.at(-1)] = changeLeaf(value, path)
    changeCount += 1
    if (hasDifferences(changed)) return
    const pathText = describePath(path, expectation)
    unnoticed.set(pathText, (unnoticed.get(pathText) ?? 0) + 1)
  }
  visit(expectation, [])
  return changeCount
}

function changeLeaf(value, [part]) {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (part === 'order') return value.split(' < ').toReversed().join(' < ')
  return typeof value === 'string' ? `${value}!` : '!'
}

function describePath([part, ...rest], { calls }) {
  if (part !== 'calls') {
    const keys = rest.slice(0, 2).map(key => (key.includes('.') ? '*' : key))
    return [part, ...keys].join('.')
  }
  const [index, ...keys] = rest
  return [`calls(${calls[index].rpc})`, ...keys.slice(0, 2)].join('.')
}
