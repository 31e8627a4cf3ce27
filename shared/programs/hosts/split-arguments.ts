import { createError } from '../../errors/error.ts'

/**
 * Splits a text into words like a shell: at blanks outside of quotes and without a preceding
 * backslash. Throws PROJECT_INVALID for an unclosed quote.
 */
export function splitArguments(text: string): readonly string[] {
  const args: string[] = []
  let word: string | undefined
  let quote = ''
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index)
    const nextChar = text.charAt(index + 1)
    if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) args.push(word)
      word = undefined
    } else if (char === quote) {
      quote = ''
    } else if (quote === '' && (char === '"' || char === "'")) {
      quote = char
      word ??= ''
    } else if (char === '\\' && nextChar !== '' && quote !== "'") {
      word = (word ?? '') + nextChar
      index++
    } else {
      word = (word ?? '') + char
    }
  }
  if (quote !== '') throw createError('PROJECT_INVALID', `unclosed quote in '${text}'`)
  return word === undefined ? args : [...args, word]
}
