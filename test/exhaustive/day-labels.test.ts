import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayLabels } from '../../src/cod/conversation/labels.ts'

/** Every code that Meta lists (docs/whatsapp-cloud-api.md#template-languages), and the two that others have seen. */
const LANGUAGES =
  `af sq ar ar_EG ar_AE ar_LB ar_MA ar_QA ar_SA az be_BY bn bn_IN bg ca zh_CN zh_HK zh_TW hr cs da prs_AF nl nl_BE
en en_GB en_US en_AE en_AU en_CA en_GH en_IE en_IN en_JM en_MY en_NZ en_QA en_SG en_UG en_ZA et fil fi
fr fr_BE fr_CA fr_CH fr_CI fr_MA ka de de_AT de_CH el gu ha he hi hu id ga it ja kn kk rw_RW ko ky_KG lo lv lt
mk ms ml mr nb ps_AF fa pl pt_BR pt_PT pa ro ru sr si_LK sk sl
es es_AR es_CL es_CO es_CR es_DO es_EC es_HN es_MX es_PA es_PE es_ES es_UY es_VE sw sv ta te th tr uk ur uz vi zu`.split(
    /\s+/,
  )

const YEAR = Array.from({ length: 366 }, (_, index) => Temporal.PlainDate.from('2027-12-31').add({ days: index + 1 }))

/** Enough days that each weekday comes first in some month. */
const EIGHT_DAYS = 8

test('in every language three consecutive days get distinct labels that fit', () => {
  for (const language of LANGUAGES) {
    for (let first = 0; first + 3 <= YEAR.length; first += EIGHT_DAYS) {
      const days = YEAR.slice(first, first + 3)
      const labels = dayLabels(days.map(String), language)
      assert.equal(new Set(labels).size, 3, `${language}: ${labels.join(' | ')}`)
      for (const [index, label] of labels.entries()) {
        assert.ok(Array.from(label).length <= 20, `${language}: ${label}`)
        assert.match(label, new RegExp(`(?<!\\d)0?${days[index]?.day}(?!\\d)`), `${language}: ${label}`)
        assert.match(label, /\p{L}/u, `${language}: ${label}`)
        assert.doesNotMatch(label, /[^\P{Nd}0-9]/u, `${language}: ${label} has digits of its own`)
        assert.equal(label, label.trim())
      }
    }
  }
})
