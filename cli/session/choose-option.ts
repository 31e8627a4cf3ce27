import { emitKeypressEvents } from 'node:readline'
import type { OutputStream } from './io.ts'

/** A key as Node's `readline` reports it. */
export interface PressedKey {
  readonly name?: string | undefined
  readonly ctrl?: boolean
}

/** The effect of a key on a choice. */
export type KeyEffect =
  | { readonly kind: 'moved'; readonly index: number }
  | { readonly kind: 'chosen' | 'declined' | 'interrupted' }

/**
 * Returns the effect of a key: arrows move, a letter moves to the option that begins with it, Enter
 * chooses, Escape declines. A letter alone never chooses, so `yes` and Enter can be typed too.
 */
export function applyKey(key: PressedKey, index: number, options: readonly string[]): KeyEffect {
  const { name = '', ctrl = false } = key
  if (ctrl && name === 'c') return { kind: 'interrupted' }
  if (name === 'escape' || (ctrl && name === 'd')) return { kind: 'declined' }
  if (name === 'return' || name === 'enter') return { kind: 'chosen' }
  const { length } = options
  if (name === 'up') return { kind: 'moved', index: (index + length - 1) % length }
  if (name === 'down') return { kind: 'moved', index: (index + 1) % length }
  const matchingIndex =
    name.length === 1 ? options.findIndex(option => option.startsWith(name)) : -1
  return { kind: 'moved', index: matchingIndex < 0 ? index : matchingIndex }
}

/**
 * Lets the user choose one of the options, beginning with `initial`. Returns '' if the user
 * declines, or if the input ends. Ctrl-C sends SIGINT to this process.
 */
export function chooseOption(
  streams: { readonly input: NodeJS.ReadStream; readonly output: OutputStream },
  question: string,
  { options, initial }: { readonly options: readonly string[]; readonly initial: string },
): Promise<string> {
  const { input, output } = streams
  let index = Math.max(0, options.indexOf(initial))
  const declinedText = options.includes('no') ? 'no' : 'nothing'
  const clear = `\u001b[${options.length}A\u001b[J`
  const draw = (): void => {
    const lines = options.map(
      (option, optionIndex) => `${optionIndex === index ? '>' : ' '} ${option}`,
    )
    output.write(`${lines.join('\n')}\n`)
  }
  output.write(`\n${question} (arrows or a letter, then Enter)\n`)
  draw()
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.resume()
  return new Promise(resolve => {
    const finish = (answer: string): void => {
      input.off('keypress', onKey)
      input.off('end', onEnd)
      input.setRawMode(false)
      input.pause()
      output.write(`${clear}> ${answer === '' ? declinedText : answer}\n`)
      resolve(answer)
    }
    const onEnd = (): void => finish('')
    const onKey = (_text: string | undefined, key: PressedKey): void => {
      const effect = applyKey(key, index, options)
      if (effect.kind === 'chosen') return finish(options[index] ?? '')
      if (effect.kind !== 'moved') {
        finish('')
        if (effect.kind === 'interrupted') process.kill(process.pid, 'SIGINT')
        return
      }
      if (effect.index === index) return
      index = effect.index
      output.write(clear)
      draw()
    }
    input.on('keypress', onKey)
    input.on('end', onEnd)
  })
}
