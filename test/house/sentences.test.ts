import { expect, test } from 'vitest'
import { type Piece, scanSource } from './scan-source.ts'
import { listSources } from './sources.ts'

/**
 * Sentences of comments, messages and test titles: at most 25 words, and a named subject. The check
 * knows words, not grammar: it finds the clauses that begin with a pronoun in place of a subject.
 */
const wordsMax = 25
const pronounSubject = /(?:^|[.;:!?] )(?:what|who|whoever|whatever|nobody|somebody)\b/i
const anyPronoun = /\b(?:nobody|somebody|whoever)\b/i

/** Sentences that are not ours: Pulumi prints them in the same words. */
const foreign: readonly string[] = []

const isChecked = (path: string): boolean => !/^test\/(?:fixtures|golden)\//.test(path)

test('every sentence of a comment has a named subject and at most 25 words', () => {
  expect(faultsOf(scanned => scanned.comments.map(withoutCode))).toEqual([])
})

test('every sentence of a message has a named subject and at most 25 words', () => {
  expect(faultsOf(scanned => scanned.strings.filter(isProse))).toEqual([])
})

function faultsOf(pick: (scanned: ReturnType<typeof scanSource>) => readonly Piece[]): string[] {
  return listSources(/\.(ts|mjs)$/)
    .filter(({ path }) => isChecked(path))
    .flatMap(({ path, text }) =>
      pick(scanSource(text)).flatMap(({ line, text: piece }) =>
        sentencesOf(piece)
          .filter(sentence => isFaulty(sentence) && !foreign.includes(sentence))
          .map(sentence => `${path}:${line}: ${sentence}`),
      ),
    )
}

function isFaulty(sentence: string): boolean {
  const isLong = sentence.split(/\s+/).filter(word => /\w/.test(word)).length > wordsMax
  return isLong || pronounSubject.test(sentence) || anyPronoun.test(sentence)
}

/** Paragraphs and list items end sentences, too. */
function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|\n\s*(?:[-*|]|\d+[.)])\s/)
    .flatMap(paragraph => paragraph.replaceAll(/\s*\n\s*/g, ' ').split(/(?<=[.!?])\s+/))
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '')
}

/** A code span counts as one word. */
function withoutCode(piece: Piece): Piece {
  return { ...piece, text: piece.text.replaceAll(/```[\s\S]*?```|`[^`]*`/g, 'X') }
}

/** Words between spaces, a small letter first or after a capital: no SQL, no command line. */
function isProse({ text }: Piece): boolean {
  return /^[A-Za-z'][a-z']* (?:[\w'`X-]+,? ){2,}/.test(text) && !/[{}<>=\\|]|\n/.test(text)
}
