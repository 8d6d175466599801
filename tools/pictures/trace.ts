import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

type Attribute = { key: string; value: { stringValue?: string; intValue?: string } }

type Span = {
  traceId: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
}

type ExportRequest = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }

export type Collector = { url: string; spans: readonly Span[] }

/** A receiver of OTLP over HTTP in JSON; `opened` ends it. */
export async function startCollector(opened: AsyncDisposableStack): Promise<Collector> {
  const spans: Span[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { resourceSpans } = (await json(request)) as ExportRequest
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
    response.end('{}')
  }
  const server = createServer((request, response) => void receive(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans }
}

/** The spans of the latest trace that begins with this request, in the order of their starts. */
export function latestTrace(spans: readonly Span[], request: string): Span[] {
  const first = spans.findLast(({ name }) => name === request)
  return spans
    .filter(({ traceId }) => traceId === first?.traceId)
    .sort((one, other) => (one.startTimeUnixNano < other.startTimeUnixNano ? -1 : 1))
}

const NANOSECONDS_PER_MS = 1e6
/** So that a span of a few milliseconds among minutes can be seen. */
const MIN_BAR_PERCENT = 0.6

/** A page with a bar for each span of one trace, on one axis of time. */
export function pageOfTrace(spans: readonly Span[]): string {
  const at = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1_000n) / (NANOSECONDS_PER_MS / 1_000)
  const begin = Math.min(...spans.map(({ startTimeUnixNano }) => at(startTimeUnixNano)))
  const end = Math.max(...spans.map(({ endTimeUnixNano }) => at(endTimeUnixNano)))
  const percent = (ms: number): number => (ms / (end - begin)) * 100
  const rows = spans.map(({ name, startTimeUnixNano, endTimeUnixNano, attributes }) => {
    const [start, took] = [at(startTimeUnixNano) - begin, at(endTimeUnixNano) - at(startTimeUnixNano)]
    const width = Math.max(MIN_BAR_PERCENT, percent(took))
    const left = Math.min(percent(start), 100 - width)
    return `<tr class="${name.split(' ')[0]?.toLowerCase()}"><td>${name}</td><td>${outcomeOf(attributes)}</td><td class="n">+${timeText(start)}</td><td class="n">${timeText(took)}</td>
<td class="axis"><i style="margin-inline-start:${left.toFixed(2)}%;width:${width.toFixed(2)}%"></i></td></tr>`
  })
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 24px; color: #212529; width: 1080px }
table { border-collapse: collapse; width: 100% }
th, td { text-align: start; padding: 5px 12px 5px 0; white-space: nowrap; border-bottom: 1px solid #e9ecef }
th { font-weight: 500; color: #495057 }
.n { text-align: end; font-variant-numeric: tabular-nums }
.axis { width: 45%; background: linear-gradient(to right, #f1f3f5 1px, transparent 1px) 0 0 / 25% 100% }
i { display: block; height: 12px; border-radius: 3px; background: #4263eb }
.attempt i { background: #0ca678 } .report i { background: #f08c00 } .delivery i { background: #ae3ec9 }
</style>
<table><thead><tr><th>Span</th><th>Outcome</th><th class="n">Start</th><th class="n">Took</th><th>${timeText(end - begin)} in all</th></tr></thead>
${rows.join('\n')}
</table>
</html>
`
}

function outcomeOf(attributes: readonly Attribute[]): string {
  const shown = ['doorcode.report', 'doorcode.outcome', 'http.response.status_code']
  return shown
    .flatMap((name) => {
      const value = attributes.find(({ key }) => key === name)?.value
      return value?.stringValue ?? value?.intValue ?? []
    })
    .join(' · ')
}

const timeText = (ms: number): string => (ms < 1_000 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(2)} s`)
