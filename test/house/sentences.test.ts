import { expect, test } from 'vitest'
import { type Piece, scanSource } from './scan-source.ts'
import { listFaultySentences } from './sentence-rules.ts'
import { listSources } from './sources.ts'

const isChecked = (path: string): boolean => !/^test\/(?:fixtures|golden)\//.test(path)

test('every sentence of a comment has a named subject and at most 25 words', () => {
  expect(faultsOf(scanned => scanned.comments.map(withoutCode))).toEqual([])
})

test('every sentence of a message has a named subject and at most 25 words', () => {
  expect(faultsOf(scanned => scanned.strings.filter(isProse))).toEqual([])
})

function faultsOf(pick: (scanned: ReturnType<typeof scanSource>) => readonly Piece[]): string[] {
  return listSources(/\.(tsx?|mts|mjs|cjs|go)$/)
    .filter(({ path }) => isChecked(path))
    .flatMap(({ path, text }) =>
      pick(scanSource(text)).flatMap(({ line, text: piece }) =>
        listFaultySentences(piece).map(sentence => `${path}:${line}: ${sentence}`),
      ),
    )
}

/** A code span counts as one word. */
function withoutCode(piece: Piece): Piece {
  return { ...piece, text: piece.text.replaceAll(/```[\s\S]*?```|`[^`]*`/g, 'X') }
}

/**
 * Reports whether a text is prose: three words or more, of which the first one has no capital after
 * its first letter. SQL and command lines are no prose.
 */
function isProse({ text }: Piece): boolean {
  return /^[A-Za-z'][a-z']* (?:[\w'`X-]+,? ){2,}/.test(text) && !/[{}<>=\\|]|\n/.test(text)
}
