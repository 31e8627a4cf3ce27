import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import fc from 'fast-check'
import { describeJsonFault } from './json-fault.ts'

const describe = (text: string): string => describeJsonFault(Buffer.from(text))

test.each([
  ['', 'it is empty'],
  [' \n', 'it is empty'],
  ['\ufeff{}', 'it begins with a byte order mark, which JSON does not allow'],
  ['<!DOCTYPE html>', 'it is HTML or XML, not JSON'],
  ['{"a": 1', 'it is truncated: it ends at line 1, column 8'],
  ['{"a": "x', 'it is truncated: it ends at line 1, column 9'],
  ['{"a": "x\\', 'it is truncated: it ends at line 1, column 10'],
  ['[-', 'it is truncated: it ends at line 1, column 3'],
  ['[tru', 'it is truncated: it ends at line 1, column 5'],
  ['{\n  "a": }', 'it is not JSON at line 2, column 8'],
  ['{\n  "ä": 1,\n  "b": [1,]\n}', 'it is not JSON at line 3, column 11'],
  ['{"a" 1}', 'it is not JSON at line 1, column 6'],
  ['{"a": 1]', 'it is not JSON at line 1, column 8'],
  ['{,}', 'it is not JSON at line 1, column 2'],
  ['{"a": 01}', 'it is not JSON at line 1, column 7'],
  ['{"a": NaN}', 'it is not JSON at line 1, column 7'],
  ['{"a": "\t"}', 'it is not JSON at line 1, column 8'],
  ['{"a": "\\q----"}', 'it is not JSON at line 1, column 8'],
  ['{} x', 'it is not JSON at line 1, column 4'],
  ['"\\x"', 'it is not JSON at line 1, column 2'],
  ['"\\u12g4"', 'it is not JSON at line 1, column 2'],
  ['"\\u12', 'it is truncated: it ends at line 1, column 6'],
  ['version: 3\n', 'it is not JSON at line 1, column 1'],
])('the fault of the text %j is described with its place', (text, description) => {
  expect(describe(text)).toBe(description)
})

test.each([
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'it is encoded in UTF-16, not in UTF-8'],
  ['gzip', gzipSync('{}'), 'it is compressed with gzip'],
  ['a program', Buffer.from('\x7fELF\x02'), 'it is a binary file'],
  ['zeros', new Uint8Array(9), 'it is a binary file'],
  [
    'Latin-1',
    Buffer.from('{\n"a": "\xe9"}', 'latin1'),
    'it has a byte in line 2 that is not UTF-8',
  ],
])('bytes in the format %s are named by it', (_format, bytes, description) => {
  expect(describeJsonFault(bytes)).toBe(description)
})

test('the fault of a large text has no place, because the search would take long', () => {
  expect(describeJsonFault(Buffer.alloc(17 * 1024 * 1024, '['))).toBe('it is not JSON')
})

test('valid JSON has no place of a fault, and each truncated object is called truncated', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      fc.nat(),
      (json, n) => {
        const bytes = Buffer.from(JSON.stringify(json))
        expect(describeJsonFault(bytes)).toBe('it is not JSON')
        const cutBytes = bytes.subarray(0, n % bytes.length)
        const cutText = cutBytes.toString()
        if (cutText.length > 0 && !cutText.endsWith('\ufffd'))
          expect(describeJsonFault(cutBytes)).toMatch(
            /^it is truncated: it ends at line 1, column /,
          )
      },
    ),
  )
})
