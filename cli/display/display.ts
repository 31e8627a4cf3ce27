/**
 * display: shows a deployment to people and scripts. Uses only the engine's event stream and the
 * result of the deployment; may import names, records and engine contracts and the contracts of cli.
 *
 * Invariants: with --json stdout has events and nothing else, one a line; what is shown was redacted
 * before it came here; folding and rendering are pure, only this file and the screens write.
 */
import type { Display, DisplayOptions } from '../tools.ts'
import { changedKeys } from './changed-keys.ts'
import { createLiveScreen } from './live-screen.ts'
import { type Change, createModel, type Model } from './model.ts'
import { createPaint, type Paint } from './paint.ts'
import { stepDetails } from './render-diff.ts'
import { diagnosticLines, headerLine, isListed, saidLines, stepLine } from './render-lines.ts'
import { renderTree } from './render-tree.ts'
import { createLineScreen } from './screen.ts'
import { durationLine, outputLines, pendingLines, resourceLines } from './summary.ts'

/** A display for one deployment or preview: JSON, plain lines, or a live tree on a terminal. */
export function createDisplay(options: DisplayOptions): Display {
  const now = (): number => Date.now()
  return options.json ? createJsonDisplay(options, now) : createTextDisplay(options, now)
}

function createJsonDisplay(options: DisplayOptions, now: () => number): Display {
  let sequence = 0
  return {
    emit(event) {
      sequence += 1
      const line = JSON.stringify({ sequence, timestamp: Math.floor(now() / 1000), ...event })
      options.stdout.write(`${line}\n`)
    },
    finish(_result) {},
  }
}

/** Lines as things happen; on a terminal a tree below them until the end, when the lines of steps come. */
function createTextDisplay(options: DisplayOptions, now: () => number): Display {
  const paint = createPaint(options.color)
  // With --diff every property is shown below its step, so that the line needs no list of them.
  const model = createModel(options.diff ? () => '' : changedKeys)
  const startedMs = now()
  const hasProgram = options.kind === 'up' || options.kind === 'preview'
  const screen = options.interactive
    ? createLiveScreen(options.stdout, size =>
        renderTree(model, { ...size, nowMs: now(), startedMs, paint, hasProgram }),
      )
    : createLineScreen(options.stdout)
  const kept: string[] = []
  let stage: 'new' | 'running' | 'ended' = 'new'
  const show = (change: Change): void => {
    const lines = changeLines(change, { ...options, paint })
    if (options.interactive && change.kind === 'ended') kept.push(...lines)
    else screen.write(lines)
  }
  const begin = (): void => {
    if (stage === 'new') screen.write([headerLine(options, paint)])
    stage = 'running'
  }
  const end = (): void => {
    for (const change of model.close(now())) show(change)
    void screen.close()
    screen.write([...kept, ...endLines(model, { ...options, paint })])
    stage = 'ended'
  }
  return {
    emit(event) {
      // What plugins say while they are stopped would stand below the summary and help nobody.
      if (stage === 'ended') return
      begin()
      for (const change of model.apply(event, now())) show(change)
      if ('cancelEvent' in event) end()
    },
    async finish(result) {
      if (stage !== 'ended') {
        begin()
        end()
      }
      const pending = pendingLines(result.pending, paint)
      screen.write(pending.length === 0 ? [] : ['', ...pending])
      if (options.dryRun) screen.write([''])
      await screen.close()
    },
  }
}

function changeLines(
  change: Change,
  about: Pick<DisplayOptions, 'diff' | 'kind'> & { readonly paint: Paint },
): readonly string[] {
  if (change.kind === 'said') {
    const { severity, ephemeral } = change.diagnostic
    const isShown = (severity === 'info' || severity === 'info#err') && ephemeral !== true
    return isShown ? saidLines(change.diagnostic) : []
  }
  const { step, metadata } = change
  if (!isListed(step)) return []
  const details = about.diff ? stepDetails(metadata, about.kind === 'refresh', about.paint) : []
  return [stepLine(step, about.paint), ...details]
}

/** Everything below the resources: diagnostics, outputs, summary, duration. */
function endLines(
  model: Model,
  { paint, suppressOutputs }: { readonly paint: Paint; readonly suppressOutputs: boolean },
): readonly string[] {
  const summary = model.summary()
  const typeOf = (urn: string): string | undefined => model.steps.get(urn)?.[0]?.type
  const parts = [
    diagnosticLines(model.diagnostics, typeOf, paint),
    suppressOutputs ? [] : outputLines(model.outputs(), paint),
    summary === undefined ? [] : resourceLines(summary, paint),
    summary === undefined ? [] : [durationLine(summary.durationSeconds, paint)],
  ]
  return parts.filter(part => part.length > 0).flatMap(part => ['', ...part])
}
