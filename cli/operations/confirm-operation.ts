import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import { createError } from '../../shared/errors/error.ts'
import type { CliSession } from '../session/session.ts'
import type { DisplayOptions } from '../session/tools.ts'

/** A preview that the user reads before the confirmation. */
interface ShownPreview {
  readonly events: readonly EngineEventPayload[]
  readonly result: DeployResult
}

/**
 * Asks the user to confirm an operation after its preview. Shows the details of the preview on
 * request. Throws CONFIRMATION_DECLINED.
 */
export async function confirmOperation(
  session: CliSession,
  preview: ShownPreview,
  displayOptions: DisplayOptions,
): Promise<void> {
  const operation = displayOptions.kind === 'up' ? 'update' : displayOptions.kind
  for (;;) {
    const answer = await askForOperation(session, operation)
    if (answer === 'yes' || answer === 'y') return
    if (answer !== 'details' && answer !== 'd')
      throw createError('CONFIRMATION_DECLINED', `the ${operation} was not confirmed`)
    const display = await session.tools.openDisplay({ ...displayOptions, interactive: false })
    for (const event of preview.events) display.emit(event)
    await display.finish(preview.result)
  }
}

async function askForOperation({ io }: CliSession, operation: string): Promise<string> {
  const question = `Do you want to perform this ${operation}?`
  const options = ['yes', 'no', 'details']
  const answer =
    io.choose === undefined
      ? await io.prompt(`${question} (${options.join(', ')})`)
      : await io.choose(question, { options, initial: 'no' })
  return answer.trim().toLowerCase()
}
