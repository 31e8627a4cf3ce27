/**
 * Returns the text of a field's value, exactly as it is written in the text of a JSON object. Of
 * repeated fields the last one counts, as in `JSON.parse`. Returns undefined without such a field.
 * `objectText` must be a valid JSON object.
 */
export function findFieldText(objectText: string, name: string): string | undefined {
  let position = skipSpaces(objectText, skipSpaces(objectText, 0) + 1)
  let fieldText: string | undefined
  while (objectText[position] === '"') {
    const keyEnd = findStringEnd(objectText, position)
    const key: unknown = JSON.parse(objectText.slice(position, keyEnd))
    const valueStart = skipSpaces(objectText, skipSpaces(objectText, keyEnd) + 1)
    const valueEnd = findValueEnd(objectText, valueStart)
    if (key === name) fieldText = objectText.slice(valueStart, valueEnd)
    position = skipSpaces(objectText, valueEnd)
    if (objectText[position] === ',') position = skipSpaces(objectText, position + 1)
  }
  return fieldText
}

function skipSpaces(text: string, start: number): number {
  const spaces = /[ \t\r\n]*/y
  spaces.lastIndex = start
  spaces.test(text)
  return spaces.lastIndex
}

/** Returns the position after the JSON string whose opening quote is at `start`. */
function findStringEnd(text: string, start: number): number {
  for (
    let quote = text.indexOf('"', start + 1);
    quote !== -1;
    quote = text.indexOf('"', quote + 1)
  ) {
    let backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return quote + 1
  }
  return text.length
}

/** Returns the position after the value that begins at `start`. */
function findValueEnd(text: string, start: number): number {
  const first = text[start]
  if (first === '"') return findStringEnd(text, start)
  if (first !== '{' && first !== '[') {
    const scalar = /[^,\]} \t\r\n]*/y
    scalar.lastIndex = start
    scalar.test(text)
    return scalar.lastIndex
  }
  const quoteOrBracket = /["[\]{}]/g
  let depth = 0
  let position = start
  do {
    quoteOrBracket.lastIndex = position
    const match = quoteOrBracket.exec(text)
    if (match === null) return text.length
    position = match.index + 1
    if (match[0] === '"') position = findStringEnd(text, match.index)
    else depth += match[0] === '{' || match[0] === '[' ? 1 : -1
  } while (depth > 0)
  return position
}
