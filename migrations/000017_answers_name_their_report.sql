-- The customer's message that gave the answer; null for answers of before. Times alone cannot tell: the provider's know no
-- fractions of a second.
alter table cod_answers add column report_id uuid;
