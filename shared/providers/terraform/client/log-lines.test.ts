import { describe, expect, test } from 'vitest'
import { pluginLimits as limits } from '../../../config/plugin-limits.ts'
import type { PluginMessage } from '../../plugins/plugin-message.ts'
import { parseLogLine } from './log-lines.ts'
import { createProviderOutput } from './provider-output.ts'

describe('a line of the log', () => {
  test.each([
    [
      '{"@level":"warn","@message":"slow","@module":"sdk","@timestamp":"t","@caller":"f","n":1,"s":"x"}',
      { level: 'warn', text: 'sdk: slow n=1 s=x', isFromLogger: true },
    ],
    ['{"@level":"loud","@message":"m"}', { level: 'debug', text: 'm', isFromLogger: true }],
    ['[ERROR] no: way', { level: 'error', text: 'no: way', isFromLogger: true }],
    ['[OTHER] x', { level: 'debug', text: '[OTHER] x', isFromLogger: false }],
    ['{"a":1}', { level: 'debug', text: '{"a":1}', isFromLogger: false }],
    ['{"@message":', { level: 'debug', text: '{"@message":', isFromLogger: false }],
    ['{"@message":1}', { level: 'debug', text: '{"@message":1}', isFromLogger: false }],
    ['null', { level: 'debug', text: 'null', isFromLogger: false }],
    ['hello', { level: 'debug', text: 'hello', isFromLogger: false }],
  ])('%s is parsed', (line, parsed) => {
    expect(parseLogLine(line)).toEqual(parsed)
  })
})

describe('the output of a provider', () => {
  function createOutput({ showsTraces = true } = {}) {
    const messages: PluginMessage[] = []
    const output = createProviderOutput({
      plugin: 'p',
      report: message => messages.push(message),
      redact: text => text.replaceAll('hunter2', '[secret]'),
      // The id of stdout. The id of stderr is the next number.
      streamId: 7,
      showsTraces,
    })
    return { output, messages }
  }

  test('is reported as debug messages of its streams, without secrets', () => {
    const { output, messages } = createOutput()
    output.addLine('{"@level":"info","@message":"got","token":"hunter2"}', 'stderr')
    output.addLine('hunter2', 'stdout')
    expect(messages).toEqual([
      { plugin: 'p', severity: 'debug', text: '[INFO] got token=[secret]', streamId: 8 },
      { plugin: 'p', severity: 'debug', text: '[secret]', streamId: 7 },
    ])
  })

  test.each([true, false])('has traces only if the user requests them (%s)', showsTraces => {
    const { output, messages } = createOutput({ showsTraces })
    output.addLine('{"@level":"trace","@message":"call"}', 'stderr')
    output.addLine('{"@level":"debug","@message":"other"}', 'stderr')
    const texts = messages.map(({ text }) => text)
    expect(texts).toEqual(showsTraces ? ['[TRACE] call', '[DEBUG] other'] : ['[DEBUG] other'])
  })

  test('has warnings, errors and free texts of stderr as lines for reports', () => {
    const { output } = createOutput()
    output.addLine('out', 'stdout')
    output.addLine('[TRACE] call', 'stderr')
    output.addLine('[WARN] near hunter2', 'stderr')
    output.addLine('free', 'stderr')
    expect(output.listReportLines()).toEqual(['[WARN] near [secret]', 'free'])
  })

  test('has only the lines of a panic if there is one, from its beginning', () => {
    const { output } = createOutput()
    output.addLine('before', 'stderr')
    output.addLine('panic: hunter2', 'stderr')
    output.addLine('[DEBUG] between', 'stderr')
    for (let count = 0; count < 2 * limits.panicLinesMax; count += 1)
      output.addLine(`frame ${count}`, 'stderr')
    const lines = output.listReportLines()
    expect(lines.slice(0, 2)).toEqual(['panic: [secret]', 'frame 0'])
    expect(lines).toHaveLength(limits.panicLinesMax)
  })

  test('has a fatal error of the Go runtime as lines for reports, too', () => {
    const { output } = createOutput()
    output.addLine('fatal error: all goroutines are asleep', 'stderr')
    expect(output.listReportLines()).toEqual(['fatal error: all goroutines are asleep'])
  })
})
