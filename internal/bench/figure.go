package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// figure is one line of the table. The ratio is the figure over its baseline.
type figure struct {
	Name     string
	Value    float64
	Baseline float64
	// BaselineName says what the baseline is; without one there is no ratio.
	BaselineName string
	Unit         string
	// Target is the largest good value, or, with AtLeast, the smallest; 0 is none.
	Target  float64
	AtLeast bool
}

func (f figure) ok() bool {
	switch {
	case f.Target == 0:
		return true
	case f.AtLeast:
		return f.Value >= f.Target
	}
	return f.Value <= f.Target
}

// print writes the table and fails when a figure is over its target.
func print(w io.Writer, figures []figure) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tFIGURE\tBASELINE\tRATIO\tTARGET\t")
	var failed error
	for _, f := range figures {
		baseline, ratio, target, verdict := "-", "-", "-", ""
		if f.BaselineName != "" {
			baseline = fmt.Sprintf("%s %s", number(f.Baseline, f.Unit), f.BaselineName)
			ratio = fmt.Sprintf("%.3g", f.Value/f.Baseline)
		}
		if f.Target != 0 {
			sign := "<="
			if f.AtLeast {
				sign = ">="
			}
			target, verdict = sign+" "+number(f.Target, f.Unit), "ok"
			if !f.ok() {
				verdict, failed = "OVER", errOver
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", f.Name, number(f.Value, f.Unit), baseline, ratio, target, verdict)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return failed
}

func number(value float64, unit string) string {
	format := "%.0f"
	switch {
	case value < 10:
		format = "%.2f"
	case value < 100:
		format = "%.1f"
	}
	return fmt.Sprintf(format, value) + " " + unit
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
func µs(d time.Duration) float64 { return float64(d) / 1e3 }

// quantile of durations, which it sorts: 0.5 is the median.
func quantile(list []time.Duration, q float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(float64(len(list))*q), len(list)-1)]
}

func median(list []time.Duration) time.Duration { return quantile(list, 0.5) }

// timed is how long a call takes.
func timed(call func() error) (time.Duration, error) {
	start := time.Now()
	err := call()
	return time.Since(start), err
}

// repeat times a call n times.
func repeat(n int, call func(i int) error) ([]time.Duration, error) {
	list := make([]time.Duration, 0, n)
	for i := range n {
		took, err := timed(func() error { return call(i) })
		if err != nil {
			return nil, err
		}
		list = append(list, took)
	}
	return list, nil
}
