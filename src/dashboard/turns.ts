import { sentences } from '../sentences.ts'
import { CallRefused } from './call-refused.ts'

/** Does the work when it is its person's turn. Refuses when too much of theirs waits. */
export type Turns = <Outcome>(userId: string, work: () => Promise<Outcome>) => Promise<Outcome>

export type TurnsOptions = {
  /** Of one person. */
  atOnce: number
  /** Of one person, beside what is under way. */
  waitingMost: number
}

type Line = { underWay: number; waiting: (() => void)[] }

/** So that whoever asks much waits behind themselves, and not everybody behind them. */
export function turnsOfPeople({ atOnce, waitingMost }: TurnsOptions): Turns {
  const lines = new Map<string, Line>()
  return async (userId, work) => {
    const line = lines.get(userId) ?? { underWay: 0, waiting: [] }
    lines.set(userId, line)
    if (line.underWay < atOnce) line.underWay += 1
    else if (line.waiting.length < waitingMost) await new Promise<void>((begin) => line.waiting.push(begin))
    else throw tooMuch()
    try {
      return await work()
    } finally {
      const next = line.waiting.shift()
      if (next) next()
      else line.underWay -= 1
      if (line.underWay === 0) lines.delete(userId)
    }
  }
}

const tooMuch = (): CallRefused => new CallRefused('TOO_MANY_REQUESTS', says.tooMuch)

const says = sentences({
  tooMuch: {
    en: 'You ask for more at once than can be answered. Close some pages, and try again in a moment.',
    ar: 'تطلب في آن واحد أكثر مما يمكن الإجابة عنه. أغلق بعض الصفحات وحاول مجددًا بعد لحظات.',
  },
})
