/**
 * Rules for sentences: at most 25 words, and a named subject. The rules know words, not grammar:
 * they find the clauses that begin with a pronoun in place of a subject.
 */
const wordsMax = 25
const pronounSubject = /(?:^|[.;:!?] )(?:what|who|whoever|whatever|nobody|somebody)\b/i
const anyPronoun = /\b(?:nobody|somebody|someone|anybody|whoever)\b/i

/** Returns the sentences of a text that break a rule. */
export function listFaultySentences(text: string): readonly string[] {
  return splitSentences(text).filter(
    sentence =>
      countWords(sentence) > wordsMax || pronounSubject.test(sentence) || anyPronoun.test(sentence),
  )
}

/** Counts the parts between spaces that have a letter or a digit. */
function countWords(sentence: string): number {
  return sentence.split(/\s+/).filter(word => /\w/.test(word)).length
}

/** Paragraphs and list items end sentences, too. */
function splitSentences(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|\n\s*(?:[-*|]|\d+[.)])\s/)
    .flatMap(paragraph => paragraph.replaceAll(/\s*\n\s*/g, ' ').split(/(?<=[.!?][)"']?)\s+/))
    .map(sentence => sentence.trim())
    .filter(sentence => sentence !== '')
}
