import { isNestedDeeper } from '../../shared/values/nesting.ts'
import type { FuzzRandom } from './fuzz-random.ts'

/** The text that stands for a deeply nested value until the JSON is printed. */
const nestedMarker = '@nested@'
/** Deeper items of the corpus are mutated as bytes only. */
const jsonDepthMax = 500
/** Depths near the limits of decoders, and far above them. */
const nestingDepths = [50, 99, 101, 999, 1_001, 5_000, 20_000]

const texts = [
  ...[
    '',
    '\0',
    '\ud800',
    '\udc00x',
    '\u2028',
    '__proto__',
    'constructor',
    '../..',
    'x'.repeat(300),
  ],
  // Pulumi's marks for unknown and special values, such as secrets and assets, and parts of URNs.
  ...['04da6b54-80e4-46f7-96ec-b56ff0331ba9', 'urn:pulumi:dev::p::t:m:T::n', 'urn:pulumi:'],
  ...['1b47061264138c4ac30d75fd1eb44270', '4dabf18193072939515e22adb298388d'],
  ...['c44067f5952c0a294b673a41bacd8c17', '0def7320c3a5731c473e5ecbe6d01bc7'],
  ...['5cf8f73096256a8f31e491e813e4eb8e', '8ad145fe-0d11-4827-bfd7-1abcbf086f5c'],
  ...['-1', '1e999', 'NaN', '2024-13-45T99:99:99Z', nestedMarker],
]
const numbers = [0, -0, -1, 0.5, 1e308, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 63), 1e-320]
const keys = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '0', ''],
  ...['4dabf18193072939515e22adb298388d', 'secure', 'kind', 'V', '\ud800'],
]

type Slot = { readonly owner: Record<string, unknown> | unknown[]; readonly key: string | number }

/**
 * Changes JSON, also JSON after a first line that names its kind. Returns undefined when there is
 * no JSON.
 */
export function mutateJson(text: string, other: string, random: FuzzRandom): string | undefined {
  const whole = mutateWholeJson(text, other, random)
  const lineEnd = text.indexOf('\n') + 1
  if (whole !== undefined || lineEnd === 0) return whole
  const otherJson = other.slice(other.indexOf('\n') + 1)
  const mutated = mutateJson(text.slice(lineEnd), otherJson, random)
  return mutated === undefined ? undefined : text.slice(0, lineEnd) + mutated
}

/**
 * Changes 1 to 3 places of a JSON text: other types, foreign parts, special keys, repeated keys,
 * deep nesting. Returns undefined when the text is not JSON.
 */
function mutateWholeJson(text: string, other: string, random: FuzzRandom): string | undefined {
  const root = parseOrUndefined(text)
  if (root === undefined || isNestedDeeper(root, jsonDepthMax)) return undefined
  const holder: unknown[] = [root]
  for (let count = 1 + random.integerBelow(3); count > 0; count--) {
    const slots = slotsOf(holder)
    changeSlot(random.pick(slots), { random, slots, other })
  }
  return finishText(JSON.stringify(holder[0]) ?? 'null', random)
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Lists all places of values, from the outside to the inside. */
function slotsOf(holder: unknown[]): readonly Slot[] {
  const slots: Slot[] = []
  const pending: (unknown[] | Record<string, unknown>)[] = [holder]
  for (let owner = pending.pop(); owner !== undefined; owner = pending.pop()) {
    const names = Array.isArray(owner) ? owner.keys() : Object.keys(owner)
    for (const key of names) {
      slots.push({ owner, key })
      const value = readSlot({ owner, key })
      if (typeof value === 'object' && value !== null)
        pending.push(value as Record<string, unknown>)
    }
  }
  return slots
}

function readSlot({ owner, key }: Slot): unknown {
  return Object.getOwnPropertyDescriptor(owner, key)?.value
}

function writeSlot({ owner, key }: Slot, value: unknown): void {
  Object.defineProperty(owner, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

function changeSlot(
  slot: Slot,
  { random, slots, other }: { random: FuzzRandom; slots: readonly Slot[]; other: string },
): void {
  const value = readSlot(slot)
  switch (random.integerBelow(8)) {
    case 0:
      if (Array.isArray(slot.owner)) slot.owner.splice(Number(slot.key), 1)
      else Reflect.deleteProperty(slot.owner, slot.key)
      if (Array.isArray(slot.owner) && slot.owner.length === 0) slot.owner.push(null)
      return
    case 1:
      return writeSlot(slot, copyJson(readSlot(random.pick(slots))))
    case 2: {
      const donor = parseOrUndefined(other)
      if (isNestedDeeper(donor, jsonDepthMax)) return writeSlot(slot, createValue(random))
      return writeSlot(slot, readSlot(random.pick(slotsOf([donor ?? null]))))
    }
    case 3: {
      const target = typeof value === 'object' && value !== null ? value : slot.owner
      if (Array.isArray(target)) target.push(createValue(random))
      else {
        const added = { owner: target as Record<string, unknown>, key: random.pick(keys) }
        writeSlot(added, copyJson(value))
      }
      return
    }
    case 4:
      if (typeof value === 'string') return writeSlot(slot, changeText(value, random))
      return writeSlot(slot, createValue(random))
    case 5:
      return writeSlot(slot, nestedMarker)
    default:
      return writeSlot(slot, createValue(random))
  }
}

/** Returns a copy, so that a value never becomes a part of itself. */
function copyJson(value: unknown): unknown {
  return parseOrUndefined(JSON.stringify(value) ?? 'null')
}

function changeText(text: string, random: FuzzRandom): string {
  const position = random.integerBelow(text.length + 1)
  return (
    text.slice(0, position) + random.pick(texts) + text.slice(position + random.integerBelow(3))
  )
}

function createValue(random: FuzzRandom): unknown {
  switch (random.integerBelow(7)) {
    case 0:
      return null
    case 1:
      return random.integerBelow(2) === 0
    case 2:
      return random.pick(numbers)
    case 3:
      return []
    case 4:
      return [random.pick(texts), random.pick(numbers)]
    case 5: {
      const created = {}
      writeSlot({ owner: created, key: random.pick(keys) }, random.pick(texts))
      return created
    }
    default:
      return random.pick(texts)
  }
}

/**
 * Replaces the first nested marker by a deeply nested value. Sometimes adds a key, perhaps a
 * repeated one, with the number 1e999.
 */
function finishText(text: string, random: FuzzRandom): string {
  let finished = text
  if (finished.includes(nestedMarker)) {
    const depth = random.pick(nestingDepths)
    const [open, close] = random.pick([
      ['[', ']'],
      ['{"a":', '}'],
      ['{"4dabf18193072939515e22adb298388d":"1b47061264138c4ac30d75fd1eb44270","value":', '}'],
    ] as const)
    const nested = `${open.repeat(depth)}1${close.repeat(depth)}`
    finished = finished.replace(`"${nestedMarker}"`, () => nested)
  }
  if (random.integerBelow(12) === 0) {
    const key = random.pick([...keys, 'urn', 'type', 'version', 'kind'])
    finished = finished.replace('{', () => `{${JSON.stringify(key)}:1e999,`)
  }
  return finished
}
