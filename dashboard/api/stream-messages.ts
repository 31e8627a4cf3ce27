/** A message of an event stream. `alive` is a heartbeat. */
export interface EventStreamMessage {
  readonly event: string
  readonly id: string
  readonly data: string
}

/** A parser of server-sent events. It keeps the incomplete end of the text for the next call. */
export interface StreamParser {
  /** Returns the messages that the next part of the text completes. */
  readonly push: (text: string) => readonly EventStreamMessage[]
}

/**
 * Creates a parser. The lines of a stream of the API end with `\n`, and comments are heartbeats.
 */
export function createStreamParser(): StreamParser {
  let incompleteText = ''
  return {
    push(text) {
      const blocks = (incompleteText + text).split('\n\n')
      incompleteText = blocks.pop() ?? ''
      return blocks.map(parseBlock)
    },
  }
}

function parseBlock(block: string): EventStreamMessage {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const separatorIndex = line.indexOf(':')
    if (separatorIndex > 0)
      fields.set(line.slice(0, separatorIndex), line.slice(separatorIndex + 1).trimStart())
  }
  const event = fields.get('event') ?? 'alive'
  return { event, id: fields.get('id') ?? '', data: fields.get('data') ?? '' }
}
