/**
 * Splits TypeScript text into code, comments and strings, so that a rule reads only one of them.
 * The scanner uses a regular expression, because TypeScript 7 has no API for syntax trees.
 */

/** A piece of text with its first line, counted from 1. */
export interface Piece {
  readonly line: number
  readonly text: string
}

export interface ScannedSource {
  /** The text with comments, strings and regular expressions replaced by spaces. */
  readonly code: string
  /** Comments without their markers. Adjacent line comments are one piece. */
  readonly comments: readonly Piece[]
  /** The contents of strings and templates. Each placeholder of a template is `X`. */
  readonly strings: readonly Piece[]
}

const token =
  /(?<block>\/\*[\s\S]*?\*\/)|(?<line>\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)|(?<single>'(?:[^'\\\n]|\\.)*')|(?<double>"(?:[^"\\\n]|\\.)*")|(?<template>`)|(?<regex>(?<=[(,=:[!&|?{};\n>]\s*|\breturn\s+)\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)|(?<brace>[{}])/g

/** Scans a whole file. */
export function scanSource(text: string): ScannedSource {
  const comments: Piece[] = []
  const strings: Piece[] = []
  const blankRanges: (readonly [from: number, to: number])[] = []
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length
  /** For each open template, the number of open braces in its placeholder; the innermost last. */
  const templates: { braces: number }[] = []
  const scanner = new RegExp(token)
  const readTemplate = (from: number): void => {
    let end = from
    while (end < text.length && text[end] !== '`' && !text.startsWith('${', end))
      end += text[end] === '\\' ? 2 : 1
    blankRanges.push([from, end])
    const isPlaceholder = text[end] === '$'
    const piece = text.slice(from, end)
    const lastString = strings.at(-1)
    if (text[from - 1] === '}' && lastString !== undefined)
      strings[strings.length - 1] = { ...lastString, text: `${lastString.text}X${piece}` }
    else strings.push({ line: lineOf(from), text: piece })
    if (!isPlaceholder) templates.pop()
    scanner.lastIndex = end + (isPlaceholder ? 2 : 1)
  }
  for (let match = scanner.exec(text); match !== null; match = scanner.exec(text)) {
    const { index, 0: matchedText, groups = {} } = match
    const openTemplate = templates.at(-1)
    if (groups['template'] !== undefined) {
      templates.push({ braces: 0 })
      readTemplate(index + 1)
    } else if (groups['brace'] !== undefined) {
      if (openTemplate === undefined) continue
      if (matchedText === '}' && openTemplate.braces === 0) readTemplate(index + 1)
      else openTemplate.braces += matchedText === '{' ? 1 : -1
    } else {
      blankRanges.push([index, index + matchedText.length])
      const isComment = groups['block'] !== undefined || groups['line'] !== undefined
      if (isComment) comments.push({ line: lineOf(index), text: removeMarkers(matchedText) })
      else if (groups['regex'] === undefined)
        strings.push({ line: lineOf(index), text: matchedText.slice(1, -1) })
    }
  }
  return { code: replaceBySpaces(text, blankRanges), comments, strings }
}

function removeMarkers(comment: string): string {
  return comment
    .replaceAll(/^\s*(?:\/\*\*?|\/\/|\*(?!\/))[ \t]?/gm, '')
    .replace(/\*\/$/, '')
    .trim()
}

/** Replaces ranges of a text by spaces. Line breaks stay. */
function replaceBySpaces(text: string, ranges: readonly (readonly [number, number])[]): string {
  let code = ''
  let position = 0
  for (const [start, end] of ranges) {
    code += text.slice(position, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ')
    position = end
  }
  return code + text.slice(position)
}
