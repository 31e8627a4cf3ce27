import type { FuzzRandom } from './fuzz-random.ts'

/** Texts and bytes on which decoders often fail. */
const fragments: readonly Uint8Array[] = [
  ...['__proto__', 'constructor', 'toString', '\0', '\u2028', '"', '{', '[', ']', '}'],
  ...['null', '-0', '1e999', '-1', '18446744073709551616', '4dabf18193072939515e22adb298388d'],
  ...['&a ', '*a', '!!binary ', '<<: ', '- ', ': ', '../', '/etc/passwd', '\n', '\r\n', '\ufeff'],
]
  .map(text => new TextEncoder().encode(text))
  .concat([
    Uint8Array.of(0xff),
    Uint8Array.of(0xff, 0xff, 0xff, 0xff),
    Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01),
    Uint8Array.of(0xc3, 0x28),
    // The lone surrogate U+D800 in UTF-8. TextEncoder would replace it with U+FFFD.
    Uint8Array.of(0xed, 0xa0, 0x80),
    new Uint8Array(16),
  ])

/** Applies one mutation to bytes. `other` is another item of the corpus. */
export function mutateBytes(bytes: Uint8Array, other: Uint8Array, random: FuzzRandom): Uint8Array {
  const position = random.integerBelow(bytes.length + 1)
  switch (random.integerBelow(8)) {
    case 0:
      return flipBit(bytes, random)
    case 1:
      return bytes.slice(0, position)
    case 2:
      return bytes.slice(position)
    case 3: {
      // A splice: the start of one item and the end of another one.
      const cut = random.integerBelow(other.length + 1)
      return Buffer.concat([bytes.subarray(0, position), other.subarray(cut)])
    }
    case 4: {
      const end = Math.min(bytes.length, position + random.integerBelow(32))
      return Buffer.concat([bytes.subarray(0, position), bytes.subarray(end)])
    }
    case 5: {
      const end = Math.min(bytes.length, position + 1 + random.integerBelow(32))
      const repeated = Array.from({ length: 1 + random.integerBelow(20) }, () =>
        bytes.subarray(position, end),
      )
      return Buffer.concat([bytes.subarray(0, position), ...repeated, bytes.subarray(position)])
    }
    case 6: {
      const inserted = random.pick(fragments)
      const end = random.integerBelow(2) === 0 ? position : position + inserted.length
      return Buffer.concat([bytes.subarray(0, position), inserted, bytes.subarray(end)])
    }
    default: {
      const copy = Uint8Array.from(bytes)
      if (copy.length > 0) copy[random.integerBelow(copy.length)] = random.integerBelow(256)
      return copy
    }
  }
}

function flipBit(bytes: Uint8Array, random: FuzzRandom): Uint8Array {
  const copy = Uint8Array.from(bytes)
  if (copy.length === 0) return copy
  const index = random.integerBelow(copy.length)
  copy[index] = (copy[index] ?? 0) ^ (1 << random.integerBelow(8))
  return copy
}
