/**
 * display: shows a deployment to people and scripts. Uses only the engine's event stream and the
 * result of the deployment; may import names, records and engine contracts and the contracts of cli.
 *
 * Invariants: with --json stdout has events and nothing else, one a line; what is shown was redacted
 * before it came here; folding and rendering are pure, only this file and live.ts write.
 */
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { Display, DisplayOptions } from '../tools.ts'
import { changedKeys } from './changed-keys.ts'
import { type Change, createModel, type Model } from './model.ts'
import { createPaint, type Paint } from './paint.ts'
import { diagnosticLines, headerLine, isListed, saidLines, stepLine } from './render-lines.ts'
import { durationLine, outputLines, pendingLines, resourceLines } from './summary.ts'

/** A display for one deployment or preview: JSON, plain lines, or a live tree on a terminal. */
export function createDisplay(options: DisplayOptions): Display {
  const now = (): number => Date.now()
  return options.json ? createJsonDisplay(options, now) : createLineDisplay(options, now)
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

function createLineDisplay(options: DisplayOptions, now: () => number): Display {
  const paint = createPaint(options.color)
  const model = createModel(changedKeys)
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) options.stdout.write(`${lines.join('\n')}\n`)
  }
  let isBegun = false
  const begin = (): void => {
    if (!isBegun) write([headerLine(options, paint)])
    isBegun = true
  }
  return {
    emit(event: EngineEventPayload) {
      begin()
      for (const change of model.apply(event, now())) write(changeLines(change, paint))
    },
    finish(result) {
      begin()
      for (const change of model.close(now())) write(changeLines(change, paint))
      write(endLines(model, result, { ...options, paint }))
    },
  }
}

function changeLines(change: Change, paint: Paint): readonly string[] {
  if (change.kind === 'ended') return isListed(change.step) ? [stepLine(change.step, paint)] : []
  const { severity } = change.diagnostic
  return severity === 'info' || severity === 'info#err' ? saidLines(change.diagnostic) : []
}

/** Everything below the resources: diagnostics, outputs, summary, duration, what is pending. */
function endLines(
  model: Model,
  result: DeployResult,
  { paint, suppressOutputs }: { readonly paint: Paint; readonly suppressOutputs: boolean },
): readonly string[] {
  const summary = model.summary()
  const typeOf = (urn: string): string | undefined => model.steps.get(urn)?.[0]?.type
  const parts = [
    diagnosticLines(model.diagnostics, typeOf, paint),
    suppressOutputs ? [] : outputLines(model.outputs(), paint),
    summary === undefined ? [] : resourceLines(summary, paint),
    summary === undefined ? [] : [durationLine(summary.durationSeconds, paint)],
    pendingLines(result.pending, paint),
  ]
  return parts.filter(part => part.length > 0).flatMap(part => ['', ...part])
}
